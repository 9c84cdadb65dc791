import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { mainPlace } from './layout.ts'
import { readPage, readWholeLine } from './log-reader.ts'
import type { LogLine, LogPage, PageRequest, SessionPlace } from './session-tree.ts'
import { sampleLog, writeAt } from './testing/sample-log.ts'
import { errorOf, makeTreeHome, sessionId, valueOf, type TreeHome } from './testing/tree-home.ts'

const ID = sessionId('session-0f010000-0000-4000-8000-000000000001')

let home: TreeHome
let place: SessionPlace

beforeEach(() => {
  home = makeTreeHome()
  place = mainPlace(home.root, ID)
})

afterEach(() => home.remove())

const page = async (request: PageRequest) => valueOf(await readPage(place, request))

/** What a line is, in a word: the seq of an event, else its kind. */
const sketch = (line: LogLine) => (line.kind === 'event' ? line.event.seq : line.kind)

/** All pages from the end to the start, in the log's order. */
async function allBackwards(lines: number): Promise<LogPage[]> {
  const pages = [await page({ lines })]
  for (let first = pages[0]; first && !first.atStart; first = pages[0])
    pages.unshift(await page({ before: first.from, lines }))
  return pages
}

describe('long lines', () => {
  test('over 64 KiB show their texts cut, in their own shape', async () => {
    writeAt(place.logPath, sampleLog(ID).turnStart().stepStart().user('果🌱'.repeat(60_000)).text())
    const line = (await page({ lines: 1 })).lines[0]
    expect(line).toMatchObject({
      kind: 'event',
      cut: true,
      bytes: expect.any(Number),
      event: { type: 'user/message', seq: 2 },
    })
    expect(line?.bytes).toBeGreaterThan(400_000)
    expect(JSON.stringify(line).length).toBeLessThan(70_000)
    expect(JSON.stringify(line)).toContain('"source":{"kind":"user"}')
    expect(JSON.stringify(line)).not.toMatch(/\\ud/)
  })

  test('of 12 MB are never held whole, and what stands around them is as always', async () => {
    const log = sampleLog(ID).turnStart().stepStart().user('Q').say('', ['big']).call('big')
    log.result('big', '+ pear 果 🌱 \\ " \t'.repeat(520_000)).stepEnd().turnEnd()
    writeAt(place.logPath, log.text())
    const { lines } = await page({ lines: 100 })
    expect(lines.map(sketch)).toEqual(['header', 0, 1, 2, 3, 4, 5, 6, 7])
    expect(lines[6]).toMatchObject({
      cut: true,
      event: {
        type: 'tool/result',
        data: {
          turn: 1,
          step: 1,
          message: { source: { kind: 'tool', callId: 'big' }, content: [{ type: 'tool-result' }] },
        },
      },
    })
    expect(lines[6]?.bytes).toBeGreaterThan(12_000_000)
    expect(JSON.stringify(lines[6]).length).toBeLessThan(80_000)
    expect((await page({ lines: 3 })).lines.map(sketch)).toEqual([5, 6, 7])
    expect((await page({ after: lines[5]?.offset ?? 0, lines: 2 })).lines.map(sketch)).toEqual([4, 5])
  })

  test('that make no sense are shown by their beginning', async () => {
    writeAt(place.logPath, `${sampleLog(ID).text()}${'x'.repeat(3_000_000)}\n`)
    const line = (await page({ lines: 1 })).lines[1]
    expect(line).toMatchObject({ kind: 'bad', bytes: 3_000_000, reason: expect.stringContaining('editor') })
    expect(JSON.stringify(line).length).toBeLessThan(3000)
  })

  test('end a page early rather than fill the memory', async () => {
    const log = sampleLog(ID)
    for (let count = 0; count < 30; count++) log.add('todo/write', { text: 'x'.repeat(900_000) })
    writeAt(place.logPath, log.text())
    const last = await page({ lines: 200 })
    expect(last.lines.length).toBeLessThan(6)
    expect((await allBackwards(200)).flatMap((each) => each.lines).map(sketch)).toEqual([
      'header',
      ...Array.from({ length: 30 }, (_, seq) => seq),
    ])
  })

  test('can be asked for as text, up to a MiB', async () => {
    const log = sampleLog(ID)
      .turnStart()
      .add('todo/write', { text: 'x'.repeat(2_000_000) })
    writeAt(place.logPath, log.text())
    const { lines } = await page({ lines: 10 })
    expect(valueOf(await readWholeLine(place, lines[1]?.offset ?? 0))).toBe(log.lines[1])
    expect(valueOf(await readWholeLine(place, lines[2]?.offset ?? 0))).toBe(log.lines[2]?.slice(0, 1024 * 1024))
    expect(errorOf(await readWholeLine(place, 5)).code).toBe('log_changed')
  })
})
