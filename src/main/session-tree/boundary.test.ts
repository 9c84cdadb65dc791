import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { KNOWN_EVENT_TYPES } from './event.ts'
import { findBoundary } from './boundary.ts'
import { mainPlace } from './layout.ts'
import { sampleLog, writeAt, type SampleLog } from './testing/sample-log.ts'
import { errorOf, makeTreeHome, sessionId, valueOf, type TreeHome } from './testing/tree-home.ts'

const ID = sessionId('session-0f010000-0000-4000-8000-000000000001')

let home: TreeHome

beforeEach(() => {
  home = makeTreeHome()
})

afterEach(() => home.remove())

function find(content: string | Uint8Array) {
  const place = mainPlace(home.root, ID)
  writeAt(place.logPath, content)
  return findBoundary(place)
}

/** The boundary's seq, or undefined where nothing is complete. */
async function boundarySeq(content: string | Uint8Array): Promise<number | undefined> {
  const { seedLength } = valueOf(await find(content))
  return seedLength === 0 ? undefined : seedLength - 1
}

/** A finished turn, then one step with an answered call, then a step that asks for two calls and is open. */
function openCalls(): SampleLog {
  const log = sampleLog(ID).turn('Count the apples.', 'Seven.')
  log.turnStart().stepStart().user('Now the pears.').say('Reading.', ['read']).call('read').result('read').stepEnd()
  return log.stepStart().say('Both ways.', ['slow', 'fork']).call('slow').call('fork')
}

describe('the boundary', () => {
  test('is the last finished step, though its turn is still open', async () => {
    const log = openCalls()
    const boundary = valueOf(await find(log.text()))
    const header = Buffer.byteLength(`${log.lines[0]}\n`)
    const copied = log.lines.slice(1, 14).map((line) => `${line}\n`)
    expect(boundary).toEqual({
      seedLength: 13,
      from: header,
      to: header + Buffer.byteLength(copied.join('')),
      openTurn: 2,
      turn: 2,
      step: 1,
      time: 1_788_000_001_300,
    })
  })

  test('is a finished turn, with nothing behind it that does not belong to a step', async () => {
    const log = sampleLog(ID).turn('Count.', 'Seven.')
    log.add('session/title', { title: 'T', messageSeqs: [], source: { kind: 'user' } })
    log.add('agent/inbox/spliced', { target: 'next-turn', start: 0, inserted: [] }).turnStart()
    const boundary = valueOf(await find(log.text()))
    expect(boundary).toMatchObject({ seedLength: 6, turn: 1, step: 1 })
    expect(boundary.openTurn).toBeUndefined()
  })

  test.each<[string, SampleLog, number | undefined]>([
    ['nothing in a log with a header only', sampleLog(ID), undefined],
    [
      'nothing where the first step never ended',
      sampleLog(ID).turnStart().stepStart().user('Begin.').say('', ['a']).call('a'),
      undefined,
    ],
    ['a turn without a step', sampleLog(ID).turnStart().turnEnd({ kind: 'blocked' }), 1],
    ['the step before one that ended with an unanswered call', openCalls().stepEnd(), 12],
    ['the step before one whose call was asked for and never begun', openCalls().result('slow').stepEnd(), 12],
    ['the step at which the last call is answered', openCalls().result('fork').result('slow').stepEnd(), 19],
    [
      'a turn that ended in an error',
      sampleLog(ID).turnStart().stepStart().stepEnd().turnEnd({ kind: 'error', error: {} }),
      3,
    ],
  ])('is %s', async (_name, log, seq) => {
    expect(await boundarySeq(log.text())).toBe(seq)
  })

  test('is not moved by text that looks like a record', async () => {
    const log = openCalls()
    log.result('slow', '{"type":"step/end","seq":99,"time":1,"data":{"turn":2,"step":2}}')
    log.add('todo/write', { todos: [], type: 'step/end', seq: 40, note: { type: 'turn/end', seq: 41 } })
    expect(await boundarySeq(log.text())).toBe(12)
    expect(await boundarySeq(log.result('fork').stepEnd().text())).toBe(20)
  })

  test('is the same whatever order the keys stand in, and however they are spaced', async () => {
    const foreign = openCalls().lines.map((line, index) => {
      const record: Record<string, unknown> = JSON.parse(line)
      const entries = Object.entries(record).toSorted(([left], [right]) => (left < right ? -1 : 1))
      return index % 2 ? JSON.stringify(Object.fromEntries(entries), null, 1).replaceAll('\n', ' ') : line
    })
    expect(await boundarySeq(`${foreign.join('\n')}\n`)).toBe(12)
  })

  test('counts the members of packed rows', async () => {
    const log = sampleLog(ID).turnStart().stepStart()
    const data = { turn: 1, step: 1, index: 0, dt: [0, 1], texts: ['a', 'b', 'c'] }
    const row = JSON.stringify({ type: 'text-chunks', seq0: 2, time0: 1, data })
    const end = JSON.stringify({ type: 'step/end', seq: 5, time: 9, data: { turn: 1, step: 1 } })
    expect(await boundarySeq(`${log.text()}${row}\n${end}\n`)).toBe(5)
  })

  test('passes over what is ignorable, and does not pass what it cannot understand', async () => {
    const log = sampleLog(ID).add('session-tree/budget', {}, { ignorable: true }).turn('Q', 'A')
    expect(await boundarySeq(log.text())).toBe(6)
    const future = sampleLog(ID).add('future/thing', {}).turn('Q', 'A')
    expect(errorOf(await find(future.text()))).toMatchObject({ code: 'ambiguous_boundary' })
    expect(errorOf(await find(future.text())).message).toContain('"future/thing"')
  })

  test('takes every type DSH knows', async () => {
    const log = sampleLog(ID)
    const special = /^(?:turn|step)\/|^(?:user|assistant)\/message$|^tool\/(?:call|result)$/
    for (const type of KNOWN_EVENT_TYPES) if (!special.test(type)) log.add(type, {})
    const before = log.lines.length - 1
    expect(await boundarySeq(log.turn('Q', 'A').text())).toBe(before + 5)
  })

  test('ignores a last line without its newline, whole or cut', async () => {
    const log = sampleLog(ID).turn('Q', 'A')
    expect(await boundarySeq(log.text().slice(0, -1))).toBe(4)
    expect(await boundarySeq(log.text().slice(0, -20))).toBe(4)
  })

  test('carriage returns and a byte order mark change nothing; blank lines are left out of the copy', async () => {
    const { lines } = openCalls()
    expect(await boundarySeq(`\uFEFF${lines.join('\r\n')}\r\n`)).toBe(12)
    const [header = '', ...events] = lines
    const text = [header, '', ...events.slice(0, 6), '', '\r', ...events.slice(6), ''].join('\n')
    const boundary = valueOf(await find(text))
    const at = text.indexOf('\n\n') + 1
    expect(boundary).toMatchObject({
      seedLength: 13,
      blanks: [
        { from: at, to: at + 1 },
        { from: expect.any(Number), to: expect.any(Number) },
      ],
    })
  })
})

describe('a boundary in doubt is refused, with the line and what to do', () => {
  const { lines } = sampleLog(ID).turn('one', '1').turn('two', '2').turn('three', '3')
  const mended = (index: number, change: (line: string) => string | readonly string[]) =>
    lines
      .flatMap((line, at) => (at === index ? change(line) : line))
      .map((line) => `${line}\n`)
      .join('')

  test.each<[string, () => string, number]>([
    ['a gap', () => mended(8, () => []), 9],
    ['a repeated record', () => mended(8, (line) => [line, line]), 10],
    ['a decreasing seq', () => mended(8, (line) => line.replace('"seq":7', '"seq":2')), 9],
    ['half a record followed by the whole one', () => mended(9, (line) => line.slice(0, 60) + line), 10],
    ['a record cut inside a nested value', () => mended(9, (line) => line.slice(0, line.indexOf('}') + 1)), 10],
    ['two records on one line', () => mended(6, (line) => [`${line}${lines[7]}`]).replace(`\n${lines[7]}\n`, '\n'), 7],
    ['a line of zero bytes', () => mended(8, () => '\0'.repeat(40)), 9],
    ['zero bytes inside a record', () => mended(9, (line) => line.replace('two', '\0\0\0')), 10],
    ['a line that is no JSON', () => mended(8, () => 'oops'), 9],
    ['a line that is no event', () => mended(8, () => '{"seq":7}'), 9],
    ['an extra field in the envelope', () => mended(8, (line) => line.replace('"data"', '"extra":1,"data"')), 9],
    ['a step that starts twice', () => mended(8, (line) => line.replace('step/start', 'turn/start')), 9],
    ['a step that ends and was not open', () => mended(8, (line) => line.replace('step/start', 'step/end')), 9],
    ['a turn that ends inside a step', () => mended(11, (line) => line.replace('step/end', 'turn/end')), 12],
    ['the end of another turn', () => mended(12, (line) => line.replace('"turn":2', '"turn":9')), 13],
  ])('%s', async (_name, text, line) => {
    const error = errorOf(await find(text()))
    expect(error).toMatchObject({ code: 'ambiguous_boundary', path: mainPlace(home.root, ID).logPath })
    expect(error.message).toContain(`line ${line} `)
    expect(error.message).toContain('editor')
  })

  test('but damage behind the boundary is only not copied', async () => {
    const log = openCalls()
    expect(await boundarySeq(`${log.text()}\0\0\0\n{"torn\n`)).toBe(12)
    expect(await boundarySeq(log.text().replace('"seq":16', '"seq":99'))).toBe(12)
  })

  test('and damage that may hide a later end is doubt as well', async () => {
    const text = `${openCalls().text()}{"type":"tool/result","se{"type":"step/end","seq":17,"time":1,"data":{}}\n`
    expect(errorOf(await find(text)).code).toBe('ambiguous_boundary')
  })

  test('a header that cannot be used is refused for its own reason', async () => {
    const text = sampleLog(ID).turn('Q', 'A').text()
    expect(errorOf(await find(text.replace('"version":0', '"version":4'))).code).toBe('unsupported_version')
    expect(errorOf(await find(text.replace('"kind":"main"', '"kind":"fork"'))).code).toBe('layout_mismatch')
    expect(errorOf(await find('')).code).toBe('log_damaged')
    expect(errorOf(await find(Buffer.from(text, 'utf16le'))).code).toBe('not_utf8')
    expect(errorOf(await findBoundary(mainPlace(home.folder, ID))).code).toBe('log_missing')
  })
})

test('long records do not count as damage, and their calls count', async () => {
  const log = sampleLog(ID).turnStart().stepStart().user('Q').say('', ['big']).call('big')
  log.result('big', 'x'.repeat(12_000_000)).stepEnd()
  expect(await boundarySeq(log.text())).toBe(6)
  log.stepStart().say('y'.repeat(3_000_000)).stepEnd()
  expect(await boundarySeq(log.text())).toBe(9)
  expect(
    await boundarySeq(log.stepStart().say('', ['c']).call('c').result('other', 'z'.repeat(3_000_000)).stepEnd().text()),
  ).toBe(9)
})

test('a remembered boundary holds only as long as the log is what it was', async () => {
  const place = mainPlace(home.root, ID)
  const log = sampleLog(ID).turn('Q', 'A')
  writeAt(place.logPath, log.text())
  const seedLength = async () => valueOf(await home.tree.boundary(ID)).seedLength
  expect([await seedLength(), await seedLength()]).toEqual([6, 6])
  writeAt(place.logPath, log.turn('Q', 'A').text())
  expect(await seedLength()).toBe(12)
  writeAt(place.logPath, log.text().replace('"seq":9', '"seq":8'))
  expect(errorOf(await home.tree.boundary(ID)).code).toBe('ambiguous_boundary')
})

const SHARED = join(import.meta.dirname, '../../../../shared/fixtures')

describe.runIf(existsSync(SHARED))('over the shared fixtures', () => {
  const faults = join(SHARED, 'faults')

  /** The faults' logs carry no tree fields: they are given those of a main. */
  function asMain(name: string): Buffer {
    const bytes = readFileSync(join(faults, name))
    return Buffer.from(
      bytes
        .toString('latin1')
        .replace(/"id":"([^"]+)"([^\n]*?)\}/, `"id":"${ID}"$2,"kind":"main","root_session_id":"${ID}"}`),
      'latin1',
    )
  }

  test.each<[string, number | undefined]>([
    ['f01-open-calls.jsonl', 12],
    ['f01-no-finished-step.jsonl', undefined],
    ['f04-good.jsonl', 17],
    ['f04-blank-lines.jsonl', 17],
    ['f04-torn-tail.jsonl', 16],
    ['f04-tail-no-newline.jsonl', 16],
    ['f04-nul-tail.jsonl', 17],
    ['f04-header-only.jsonl', undefined],
    ['f05-bom.jsonl', 11],
    ['f05-bom-crlf.jsonl', 11],
    ['f05-crlf.jsonl', 11],
    ['f05-bad-utf8-middle.jsonl', 11],
    ['f05-u2028.jsonl', 5],
    ['f05-lone-surrogate.jsonl', 5],
    ['f26-clock.jsonl', 11],
    ['f26-zero.jsonl', 5],
    ['f26-future.jsonl', 5],
  ])('%s', async (name, seq) => {
    expect(await boundarySeq(asMain(name))).toBe(seq)
  })

  test.each(['f04-glued.jsonl', 'f04-nul-middle.jsonl', 'f04-spliced.jsonl'])('%s is in doubt', async (name) => {
    expect(errorOf(await find(asMain(name))).code).toBe('ambiguous_boundary')
  })

  test('the logs of the real DSH end where the real DSH says', async () => {
    const expected: Record<
      string,
      { storedEvents: number; lastStepEndSeq: number | null; lastTurnEndSeq: number | null; recoveryClosers: number }
    > = JSON.parse(readFileSync(join(SHARED, 'dsh/expected.json'), 'utf8'))
    const logs = readdirSync(join(SHARED, 'dsh'), { recursive: true })
      .map(String)
      .filter((path) => path.endsWith('session.jsonl') && path.startsWith('plain'))
    expect(logs.length).toBeGreaterThan(10)
    for (const path of logs) {
      const [, first = ''] = /"id":"([^"]+)"/.exec(readFileSync(join(SHARED, 'dsh', path), 'utf8')) ?? []
      const id = sessionId(first)
      const text = readFileSync(join(SHARED, 'dsh', path), 'utf8').replace(
        /^(\{[^\n]*?)(?:"parentSession":"[^"]*",)?([^\n]*)\}/,
        `$1$2,"kind":"main","root_session_id":"${id}"}`,
      )
      const place = mainPlace(home.root, id)
      writeAt(place.logPath, text.replace(/"parentSession":"[^"]*",/, ''))
      const { seedLength } = valueOf(await findBoundary(place))
      const { lastStepEndSeq, lastTurnEndSeq, storedEvents } = expected[path] ?? {}
      const ends = [lastStepEndSeq, lastTurnEndSeq].filter(
        (seq): seq is number => typeof seq === 'number' && seq < (storedEvents ?? 0),
      )
      expect([dirname(path), seedLength]).toEqual([dirname(path), ends.length === 0 ? 0 : Math.max(...ends) + 1])
    }
  })
})
