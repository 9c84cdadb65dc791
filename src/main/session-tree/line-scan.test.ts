import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LONG_LINE, scanLines } from './line-scan.ts'
import { linesBackwards, linesForwards } from './line-spans.ts'
import { allOf } from './testing/tree-home.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'treeline-scan-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function withFile<Value>(
  content: string | Buffer,
  use: (file: Awaited<ReturnType<typeof open>>, size: number) => Promise<Value>,
) {
  const path = join(folder, 'log')
  writeFileSync(path, content)
  const file = await open(path, 'r')
  try {
    return await use(file, (await file.stat()).size)
  } finally {
    await file.close()
  }
}

/** Lines of very different lengths, the longest over several chunks; always the same ones. */
function sampleLines(): string[] {
  let state = 7
  const next = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below
  return Array.from({ length: 300 }, (_, index) => {
    const length = next(20) === 0 ? next(3_500_000) : next(20_000)
    return `${index} ${'果'.repeat(Math.floor(length / 3))}`
  })
}

test('every line comes once, in order, at its offset, whatever its length', async () => {
  const lines = sampleLines()
  const content = Buffer.from(`${lines.join('\n')}\nunfinished`)
  const seen: { text: string; offset: number; bytes: number; whole: boolean }[] = []
  const end = await withFile(content, (file, size) =>
    scanLines(file, { from: 0, to: size }, ({ buffer, start, end: stop, offset, bytes, whole }) => {
      seen.push({ text: buffer.toString('utf8', start, whole ? stop : start + 10), offset, bytes, whole })
    }),
  )
  let offset = 0
  expect(seen).toHaveLength(lines.length)
  for (const [index, line] of lines.entries()) {
    const bytes = Buffer.byteLength(line)
    const found = seen[index]
    expect(found).toMatchObject({ offset, bytes })
    if (bytes <= LONG_LINE) expect(found?.whole).toBe(true)
    if (bytes > 2 * LONG_LINE) expect(found?.whole).toBe(false)
    expect(found?.whole ? found.text === line : line.startsWith(found?.text.slice(0, 4) ?? '-')).toBe(true)
    offset += bytes + 1
  }
  expect(end).toEqual({ committed: offset, unfinished: 10, stopped: false })
})

test('a range, a stop and a cancel are kept to', async () => {
  await withFile('a\nbb\nccc\ndddd\n', async (file) => {
    const offsets: number[] = []
    expect(await scanLines(file, { from: 2, to: 9 }, ({ offset }) => void offsets.push(offset))).toMatchObject({
      committed: 9,
    })
    expect(offsets).toEqual([2, 5])
    expect(await scanLines(file, { from: 0, to: 14 }, () => false)).toEqual({
      committed: 2,
      unfinished: 0,
      stopped: true,
    })
    expect(await scanLines(file, { from: 0, to: 0 }, () => undefined)).toMatchObject({ committed: 0, unfinished: 0 })
    await expect(scanLines(file, { from: 0, to: 14 }, () => undefined, AbortSignal.abort())).rejects.toThrow('aborted')
  })
})

test('spans are the same forwards and backwards', async () => {
  const lines = sampleLines()
  await withFile(`${lines.join('\n')}\n`, async (file, size) => {
    const forwards = await allOf(linesForwards(file, 0, size))
    expect(forwards.map((line) => line.length)).toEqual(lines.map((line) => Buffer.byteLength(line)))
    expect((await allOf(linesBackwards(file, size))).toReversed()).toEqual(forwards)
    expect(await allOf(linesBackwards(file, 0))).toEqual([])
  })
})
