import { appendFileSync, existsSync, readdirSync, readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { mainPlace } from './layout.ts'
import { readPage } from './log-reader.ts'
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

async function sketchOf(content: string | Uint8Array): Promise<(string | number)[]> {
  writeAt(place.logPath, content)
  return (await page({ lines: 1000 })).lines.map(sketch)
}

function reasons(lines: readonly LogLine[]): string[] {
  return lines.flatMap((line) => (line.kind === 'bad' ? [line.reason] : []))
}

/** All pages from the end to the start, in the log's order. */
async function allBackwards(lines: number): Promise<LogPage[]> {
  const pages = [await page({ lines })]
  for (let first = pages[0]; first && !first.atStart; first = pages[0])
    pages.unshift(await page({ before: first.from, lines }))
  return pages
}

describe('pages', () => {
  test('come from the end, and lead without gap or overlap to the start', async () => {
    const log = sampleLog(ID)
    for (let turn = 0; turn < 40; turn++) log.turn(`Question ${turn} 果`, 'x'.repeat(turn * 300))
    writeAt(place.logPath, log.text())
    for (const lines of [1, 7, 64, 241, 1000]) {
      const pages = await allBackwards(lines)
      const seen = pages.flatMap((each) => each.lines)
      expect(seen.map(sketch)).toEqual(['header', ...Array.from({ length: 240 }, (_, seq) => seq)])
      expect(pages.map((each) => each.from).slice(1)).toEqual(pages.map((each) => each.to).slice(0, -1))
      expect(pages[0]).toMatchObject({ from: 0, atStart: true })
      expect(pages.at(-1)).toMatchObject({ atEnd: true, to: log.text().length + 80, size: log.text().length + 80 })
      for (const line of seen) {
        const text = readFileSync(place.logPath)
          .subarray(line.offset, line.offset + line.bytes)
          .toString()
        expect(log.lines).toContain(text)
      }
    }
  })

  test('go forward from where one ended, and follow a growing log', async () => {
    const log = sampleLog(ID).turn('Q', 'A')
    writeAt(place.logPath, log.text())
    const first = await page({ after: 0, lines: 3 })
    expect(first.lines.map(sketch)).toEqual(['header', 0, 1])
    const rest = await page({ after: first.to, lines: 100 })
    expect(rest.lines.map(sketch)).toEqual([2, 3, 4, 5])
    expect(rest).toMatchObject({ atEnd: true, atStart: false })
    expect((await page({ after: rest.to, lines: 100 })).lines).toEqual([])
    const [next = ''] = sampleLog(ID).turn('Q', 'A').turnStart().lines.slice(-1)
    appendFileSync(place.logPath, next.slice(0, 20))
    const cut = await page({ after: rest.to, lines: 100 })
    expect(cut).toMatchObject({ lines: [{ kind: 'unfinished', offset: rest.to, bytes: 20 }], to: rest.to, atEnd: true })
    appendFileSync(place.logPath, `${next.slice(20)}\n`)
    expect((await page({ after: cut.to, lines: 100 })).lines.map(sketch)).toEqual([6])
  })

  test('refuse an offset that is no line’s beginning: the log is not what it was', async () => {
    writeAt(place.logPath, sampleLog(ID).turn('Q', 'A').text())
    const { size } = await page({ lines: 10 })
    for (const request of [
      { after: 10, lines: 5 },
      { before: 10, lines: 5 },
      { after: size + 1, lines: 5 },
      { after: -1, lines: 5 },
    ]) {
      expect(errorOf(await readPage(place, request)).code).toBe('log_changed')
    }
    expect(errorOf(await readPage(mainPlace(home.folder, ID), { lines: 1 })).code).toBe('log_missing')
  })

  test('of an empty log, of a header alone and of a cut header', async () => {
    expect(await sketchOf('')).toEqual([])
    expect(await page({ lines: 5 })).toMatchObject({ from: 0, to: 0, size: 0, atStart: true, atEnd: true })
    expect(await sketchOf(sampleLog(ID).text())).toEqual(['header'])
    expect(await sketchOf(sampleLog(ID).text().slice(0, 60))).toEqual(['unfinished'])
  })
})

describe('damage stands in its place, and spoils nothing else', () => {
  const [header = '', ...events] = sampleLog(ID).turn('one', '1').turn('two', '2').lines
  const text = (all: readonly string[]) => [header, ...all].map((line) => `${line}\n`).join('')
  const [, , third = ''] = events

  test.each<[string, string | Uint8Array, (string | number)[]]>([
    [
      'two records on one line',
      text([events[0] ?? '', `${events[1]}${events[2]}`, ...events.slice(3, 5)]),
      ['header', 0, 'bad', 3, 4],
    ],
    [
      'half a record and the whole one',
      text([...events.slice(0, 2), third.slice(0, 40) + third, ...events.slice(3, 5)]),
      ['header', 0, 1, 'bad', 3, 4],
    ],
    [
      'a block of zero bytes',
      text([events[0] ?? '', '\0'.repeat(700), ...events.slice(1, 3)]),
      ['header', 0, 'bad', 1, 2],
    ],
    [
      'a record that is no event',
      text(['[]', '{"type":"x"}', '7', ...events.slice(0, 1)]),
      ['header', 'bad', 'bad', 'bad', 0],
    ],
    ['blank lines, which are passed over', text(['', events[0] ?? '', '\r', '  ', events[1] ?? '']), ['header', 0, 1]],
    ['a cut last line', text(events.slice(0, 3)).slice(0, -10), ['header', 0, 1, 'unfinished']],
    ['a whole last record without its newline', text(events.slice(0, 3)).slice(0, -1), ['header', 0, 1, 'unfinished']],
    [
      'zero bytes at the end',
      Buffer.concat([Buffer.from(text(events.slice(0, 1))), Buffer.alloc(4096)]),
      ['header', 0, 'unfinished'],
    ],
    [
      'a byte order mark and carriage returns',
      `\uFEFF${[header, ...events.slice(0, 2)].join('\r\n')}\r\n`,
      ['header', 0, 1],
    ],
    ['line separators inside a text', text([third.replace('one', 'a\u2028b\u2029c\u0085d')]), ['header', 2]],
    ['half a surrogate pair', text([third.replace('one', String.raw`\ud83c`)]), ['header', 2]],
    ['no header', text(events.slice(0, 2)).slice(header.length + 1), [0, 1]],
  ])('%s', async (_name, content, expected) => {
    expect(await sketchOf(content)).toEqual(expected)
  })

  test('a bad byte is drawn as U+FFFD and does not move what follows', async () => {
    const whole = Buffer.from(text(events.slice(0, 4)))
    const at = whole.indexOf('one')
    const bytes = Buffer.concat([whole.subarray(0, at), Buffer.of(0xe6, 0x9e), whole.subarray(at + 3)])
    expect(await sketchOf(bytes)).toEqual(['header', 0, 1, 2, 3])
    const { lines } = await page({ lines: 10 })
    expect(JSON.stringify(lines[3])).toContain('\uFFFD')
    const last = lines.at(-1)
    expect(bytes.subarray(last?.offset, (last?.offset ?? 0) + (last?.bytes ?? 0)).toString()).toBe(events[3])
  })

  test('UTF-16 is named', async () => {
    writeAt(place.logPath, Buffer.from(`\uFEFF${text(events)}`, 'utf16le'))
    const { lines } = await page({ lines: 100 })
    expect(lines.length).toBeGreaterThan(3)
    expect(new Set(lines.map((line) => line.kind))).toEqual(new Set(['bad', 'unfinished']))
    for (const reason of reasons(lines)) expect(reason).toMatch(/not UTF-8/)
  })

  test('unknown versions and unknown types stay viewable', async () => {
    const future = text([...events.slice(0, 1), '{"type":"future/thing","seq":1,"time":1,"data":{},"extra":2}'])
    expect(await sketchOf(future.replace('"version":0', '"version":9'))).toEqual(['header', 0, 1])
  })

  test('packed rows are one line each, their pieces joined', async () => {
    const data = { turn: 1, step: 1, index: 0, dt: [0, 1], texts: ['a', 'b', 'c'] }
    const row = { type: 'text-chunks', seq0: 0, time0: 5, data }
    expect(await sketchOf(text([JSON.stringify(row), JSON.stringify({ ...row, more: 1 })]))).toEqual([
      'header',
      0,
      'bad',
    ])
    const { lines } = await page({ lines: 10 })
    expect(lines[1]).toMatchObject({
      event: {
        type: 'assistant/chunk',
        time: 5,
        data: { turn: 1, step: 1, chunk: { type: 'text-delta', index: 0, text: 'abc' } },
      },
    })
  })
})

test('the last page of 200 MB costs neither time nor memory that grows with the log', async () => {
  const log = sampleLog(ID)
  for (let turn = 0; turn < 100; turn++) log.turn('Q', 'A'.repeat(500))
  writeAt(place.logPath, log.text())
  // What stands between the beginning and the end is a hole: reading it would cost as much as anything else there.
  truncateSync(place.logPath, 200_000_000)
  appendFileSync(place.logPath, `\n${log.lines.slice(1).join('\n')}\n`)
  await page({ lines: 200 })
  const before = process.memoryUsage()
  const started = process.cpuUsage()
  const { lines } = await page({ lines: 200 })
  const cpu = process.cpuUsage(started)
  const after = process.memoryUsage()
  expect(lines.map(sketch)).toEqual(Array.from({ length: 200 }, (_, index) => 400 + index))
  expect(after.rss - before.rss).toBeLessThan(20 * 1024 * 1024)
  // Processor time, since other work shares the machine; reading 200 MB would take many times as much.
  expect((cpu.user + cpu.system) / 1000).toBeLessThan(50)
})

const FAULTS = join(import.meta.dirname, '../../../../shared/fixtures/faults')

describe.runIf(existsSync(FAULTS))('over the shared faults', () => {
  test.each<[string, number, number]>([
    ['f04-good.jsonl', 18, 0],
    ['f04-blank-lines.jsonl', 18, 0],
    ['f04-glued.jsonl', 16, 1],
    ['f04-nul-middle.jsonl', 18, 1],
    ['f04-spliced.jsonl', 17, 1],
    ['f04-torn-tail.jsonl', 17, 0],
    ['f04-tail-no-newline.jsonl', 17, 0],
    ['f05-bad-utf8-middle.jsonl', 12, 0],
    ['f05-crlf.jsonl', 12, 0],
    ['f05-bom.jsonl', 12, 0],
  ])('%s', async (name, sound, bad) => {
    writeAt(place.logPath, readFileSync(join(FAULTS, name)))
    const { lines } = await page({ lines: 1000 })
    expect(lines.filter((line) => line.kind === 'event')).toHaveLength(sound)
    expect(lines.filter((line) => line.kind === 'bad')).toHaveLength(bad)
  })

  test('every one of them is read to its end', async () => {
    for (const name of readdirSync(FAULTS).filter((each) => each.endsWith('.jsonl'))) {
      writeAt(place.logPath, readFileSync(join(FAULTS, name)))
      expect(await page({ lines: 1000 })).toMatchObject({ atStart: true, atEnd: true })
    }
  })
})
