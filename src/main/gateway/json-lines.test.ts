import { describe, expect, it } from 'vitest'
import { jsonLines, type JsonLine } from './json-lines.ts'

function read(chunks: readonly Buffer[], longest = 1000): JsonLine[] {
  const lines: JsonLine[] = []
  const take = jsonLines(longest, (line) => lines.push(line))
  for (const chunk of chunks) take(chunk)
  return lines
}

describe('lines of JSON', () => {
  const text = '{"a":"grüße 🌳"}\n\n  \r\n[1]\nnull\n'
  const values = [{ a: 'grüße 🌳' }, [1], null].map((value) => ({ kind: 'value', value }))

  it('come out the same wherever the chunks are cut', () => {
    const bytes = Buffer.from(text)
    expect(read([bytes])).toEqual(values)
    expect(read([...bytes].map((byte) => Buffer.from([byte])))).toEqual(values)
    for (let cut = 1; cut < bytes.length; cut += 1) {
      expect(read([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(values)
    }
  })

  it('count only when they are ended', () => {
    expect(read([Buffer.from('{"a":1}')])).toEqual([])
  })

  it.each(['{', 'nonsense', '{"a":1}{"b":2}', '\u0000'])(
    'are told apart from %j, which spoils no later line',
    (bad) => {
      expect(read([Buffer.from(`${bad}\n[1]\n`)])).toEqual([{ kind: 'malformed' }, { kind: 'value', value: [1] }])
    },
  )

  it('are UTF-8', () => {
    expect(read([Buffer.from([0x22, 0xff, 0x22, 10])])).toEqual([{ kind: 'malformed' }])
  })

  it('have an end to their length, also before it is there', () => {
    const line = Buffer.from(`"${'x'.repeat(8)}"`)
    expect(read([Buffer.concat([line, Buffer.from('\n')])], 10)).toHaveLength(1)
    expect(read([line, Buffer.from('x')], 10)).toEqual([{ kind: 'too-long' }])
    expect(read([line, Buffer.from('x'), Buffer.from('\n[1]\n')], 10)).toEqual([{ kind: 'too-long' }])
  })
})
