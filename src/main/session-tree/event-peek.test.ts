import { describe, expect, test } from 'vitest'
import { peekEvent } from './event-peek.ts'

function peek(line: string, before = '') {
  const buffer = Buffer.from(before + line)
  const found = peekEvent(buffer, Buffer.byteLength(before), buffer.length)
  return found && { ...found, data: buffer.toString('utf8', found.data) }
}

describe('peeking', () => {
  test('reads what the first bytes say, wherever the line stands', () => {
    const line = '{"type":"agent/inbox/spliced","seq":120,"time":1796047201432,"data":{"a":1}}'
    const expected = { type: 'agent/inbox/spliced', seq: 120, time: 1_796_047_201_432, data: '{"a":1}}' }
    expect(peek(line)).toEqual(expected)
    expect(peek(line, '{"type":"果"}\n')).toEqual(expected)
    expect(peek('{"type":"x","seq":0,"time":-5,"data":null}')).toMatchObject({ seq: 0, time: -5 })
  })

  test.each([
    ['another order', '{"seq":1,"type":"x","time":1,"data":{}}'],
    ['blanks', '{ "type":"x","seq":1,"time":1,"data":{}}'],
    ['a blank before a number', '{"type":"x","seq": 1,"time":1,"data":{}}'],
    ['a field between', '{"type":"x","seq":1,"ignorable":true,"time":1,"data":{}}'],
    ['no data', '{"type":"x","seq":1,"time":1}'],
    ['no number', '{"type":"x","seq":null,"time":1,"data":{}}'],
    ['a number that is no count', '{"type":"x","seq":-1,"time":1,"data":{}}'],
    ['a fraction', '{"type":"x","seq":1.5,"time":1,"data":{}}'],
    ['an exponent', '{"type":"x","seq":1e3,"time":1,"data":{}}'],
    ['a leading zero', '{"type":"x","seq":01,"time":1,"data":{}}'],
    ['more digits than are safe', '{"type":"x","seq":9007199254740993,"time":1,"data":{}}'],
    ['an escape in the type', String.raw`{"type":"x\u0079","seq":1,"time":1,"data":{}}`],
    ['an empty type', '{"type":"","seq":1,"time":1,"data":{}}'],
    ['half a record before a whole one', '{"type":"step/st{"type":"x","seq":1,"time":1,"data":{}}'],
    ['a packed row', '{"type":"text-chunks","seq0":1,"time0":1,"data":{}}'],
    ['a cut', '{"type":"x","seq":1,"time":1'],
    ['nothing', ''],
  ])('leaves to the parser: %s', (_name, line) => {
    expect(peek(line)).toBeUndefined()
  })

  test('does not look past the line’s end', () => {
    const text = '{"type":"x","seq":1,"time":1,"data":{}}'
    const buffer = Buffer.from(text)
    for (let end = 0; end < text.indexOf('{}'); end++) expect(peekEvent(buffer, 0, end)).toBeUndefined()
  })
})
