import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readFacts } from './facts.ts'
import { mainPlace } from './layout.ts'
import type { SessionPlace } from './session-tree.ts'
import { sampleLog, writeAt, type SampleLog } from './testing/sample-log.ts'
import {
  allOf,
  createIn,
  forkOf,
  makeTreeHome,
  sessionId,
  turnDrafts,
  valueOf,
  type TreeHome,
} from './testing/tree-home.ts'
import { scanForTitle } from './title-scan.ts'

const ID = sessionId('session-0f010000-0000-4000-8000-000000000001')
const FAILED = { kind: 'error', error: { message: 'no', code: 'X' } }

let home: TreeHome
let place: SessionPlace

beforeEach(() => {
  home = makeTreeHome()
  place = mainPlace(home.root, ID)
})

afterEach(() => home.remove())

function factsOf(content: SampleLog | string | Uint8Array) {
  writeAt(place.logPath, typeof content === 'string' || content instanceof Uint8Array ? content : content.text())
  return readFacts(place)
}

const titled = (log: SampleLog, title: unknown) =>
  log.add('session/title', { title, messageSeqs: [], source: { kind: 'user' } })
describe('facts', () => {
  test('of a session whose first prompt waits', async () => {
    const main = await createIn(home.tree, { title: 'Apples', prompt: '  Count the apples. ', createdAt: 50 })
    const { size, mtimeMs, ino } = statSync(main.logPath)
    expect(await home.tree.facts(main)).toEqual({
      place: main,
      header: expect.objectContaining({ id: main.id, createdAt: 50 }),
      title: 'Apples',
      firstPrompt: 'Count the apples.',
      settled: true,
      updatedAt: 50,
      status: 'cold',
      openTurn: false,
      cutTail: false,
      waiting: true,
      file: { size, mtimeMs, inode: ino },
    })
    valueOf(await home.tree.appendNext(main.id, turnDrafts(1, 'Count the apples.', 70)))
    expect(await home.tree.facts(main)).toMatchObject({ waiting: false, updatedAt: 70, openTurn: false })
  })

  test('take the last title, and a blank one for none', async () => {
    expect(await factsOf(titled(titled(sampleLog(ID), 'One'), 'Two'))).toMatchObject({ title: 'Two' })
    expect(await factsOf(titled(sampleLog(ID), '  '))).not.toHaveProperty('title')
    expect(await factsOf(titled(sampleLog(ID), 5))).not.toHaveProperty('title')
  })

  test('take the first prompt a person wrote, at most 500 units of it', async () => {
    expect(await factsOf(sampleLog(ID).user('context', 'plugin').user('Mine').user('Second'))).toMatchObject({
      firstPrompt: 'Mine',
    })
    const { firstPrompt } = await factsOf(sampleLog(ID).user(`${'x'.repeat(499)}🌱🌱`))
    expect(firstPrompt).toBe('x'.repeat(499))
    expect(await factsOf(sampleLog(ID).user('  '))).not.toHaveProperty('firstPrompt')
  })

  test.each<[string, SampleLog, object]>([
    ['a finished turn', sampleLog(ID).turn('Q', 'A'), { status: 'cold', openTurn: false }],
    ['an open turn', sampleLog(ID).turnStart(), { status: 'cold', openTurn: true }],
    [
      'a turn with a step that failed',
      sampleLog(ID).turnStart().stepStart().stepEnd().turnEnd(FAILED),
      { status: 'failed' },
    ],
    ['a turn that did no work and failed', sampleLog(ID).turnStart().turnEnd(FAILED), { status: 'cold' }],
    [
      'a failure that a later turn made good',
      sampleLog(ID).turnStart().stepStart().stepEnd().turnEnd(FAILED).turn('Q', 'A'),
      { status: 'cold' },
    ],
    [
      'a failure, then a turn that did no work',
      sampleLog(ID).turnStart().stepStart().stepEnd().turnEnd(FAILED).turnStart().turnEnd(),
      { status: 'failed' },
    ],
    [
      'a turn a person stopped',
      sampleLog(ID).turnStart().stepStart().stepEnd().turnEnd({ kind: 'aborted' }),
      { status: 'cold' },
    ],
  ])('tell the status after %s', async (_name, log, expected) => {
    expect(await factsOf(log)).toMatchObject(expected)
  })

  test('of a fork are its own: not the title, the prompt, the failure or the waiting prompt that it inherited', async () => {
    const main = await createIn(home.tree, { title: 'Parent', prompt: 'Parent’s' })
    valueOf(await home.tree.appendNext(main.id, turnDrafts(1, 'Parent’s').slice(0, 4)))
    valueOf(await home.tree.queuePrompt(main.id, 'Parent’s next'))
    valueOf(
      await home.tree.appendNext(main.id, [
        ...turnDrafts(1, '').slice(4, 6),
        { type: 'turn/end', time: 9, data: { turn: 1, reason: FAILED } },
      ]),
    )
    expect(await home.tree.facts(main)).toMatchObject({ status: 'failed', title: 'Parent', waiting: true })
    const fork = await forkOf(home.tree, main.id, { prompt: 'Own', createdAt: 1000 })
    const facts = await home.tree.facts(fork)
    expect(facts).toMatchObject({ status: 'cold', firstPrompt: 'Own', waiting: true, updatedAt: 1000, settled: true })
    expect(facts).not.toHaveProperty('title')
    valueOf(await home.tree.appendNext(fork.id, turnDrafts(2, 'Own')))
    expect(await home.tree.facts(fork)).toMatchObject({ waiting: false })
  })

  test('do not depend on the order of keys', async () => {
    const lines = titled(sampleLog(ID).turn('Mine', 'A'), 'T').lines.map((line, index) => {
      const entries = Object.entries<unknown>(JSON.parse(line))
      return index === 0 ? line : JSON.stringify(Object.fromEntries(entries.toReversed()))
    })
    expect(await factsOf(`${lines.join('\n')}\n`)).toMatchObject({ title: 'T', firstPrompt: 'Mine', openTurn: false })
  })

  test('take the time from the last event, never from the file, whatever the clock did', async () => {
    const log = sampleLog(ID, { createdAt: 5 }).add('todo/write', {}).turn('Q', 'A')
    await factsOf(log)
    utimesSync(place.logPath, 1, 1)
    expect((await readFacts(place)).updatedAt).toBe(1_788_000_000_700)
    expect((await factsOf(sampleLog(ID, { createdAt: 5 }))).updatedAt).toBe(5)
    expect((await factsOf(log.text().replace(/"time":\d+(?=[^\n]*\n$)/, '"time":12'))).updatedAt).toBe(12)
  })
})

describe('facts of odd sessions say why', () => {
  test.each<[string, string | Uint8Array, string]>([
    ['an empty log', '', 'log_damaged'],
    ['a cut header', sampleLog(ID).text().slice(0, 60), 'log_damaged'],
    ['a first line without end', `{"type":"session"${' '.repeat(100_000)}`, 'log_damaged'],
    ['no header', sampleLog(ID).turn('Q', 'A').lines.slice(1).join('\n'), 'log_damaged'],
    ['zero bytes', Buffer.alloc(500), 'log_damaged'],
    ['UTF-16', Buffer.from(`\uFEFF${sampleLog(ID).text()}`, 'utf16le'), 'not_utf8'],
    ['UTF-16 without a mark', Buffer.from(sampleLog(ID).text(), 'utf16le'), 'not_utf8'],
  ])('%s', async (_name, content, code) => {
    const facts = await factsOf(content)
    expect(facts).toMatchObject({
      status: 'failed',
      settled: true,
      problem: { code, path: place.logPath },
      file: { size: content.length },
    })
    expect(facts).not.toHaveProperty('header')
    expect(valueOf(await scanForTitle(place))).toEqual({})
  })

  test('a mismatch or an unknown version keeps the title and the rest', async () => {
    const log = titled(sampleLog(ID).turn('Q', 'A'), 'T').text()
    const expected = { title: 'T', firstPrompt: 'Q', status: 'failed' }
    expect(await factsOf(log.replace('"kind":"main",', ''))).toMatchObject({
      ...expected,
      problem: { code: 'layout_mismatch' },
      header: { kind: 'main' },
    })
    expect(await factsOf(log.replace('"version":0', '"version":2'))).toMatchObject({
      ...expected,
      problem: { code: 'unsupported_version' },
    })
  })

  test('a directory without a log is missing, and one with a folder for a log has failed', async () => {
    mkdirSync(place.directory, { recursive: true })
    expect(await readFacts(place)).toMatchObject({ status: 'missing', problem: { code: 'log_missing' } })
    mkdirSync(place.logPath)
    expect(await readFacts(place)).toMatchObject({ status: 'failed', problem: { code: 'io_failed' } })
  })

  test('damage in the middle is passed over', async () => {
    const lines = titled(sampleLog(ID).turn('Q', 'A'), 'T').lines.toSpliced(3, 0, '\0\0\0', '{"type":"session/ti', '[]')
    expect(await factsOf(`${lines.join('\n')}\n`)).toMatchObject({ title: 'T', firstPrompt: 'Q', status: 'cold' })
  })
})

const SHARED = join(import.meta.dirname, '../../../../shared/fixtures')

describe.runIf(existsSync(SHARED))('over the shared fixtures', () => {
  test('titles of the real DSH’s logs are what the real DSH says', async () => {
    const expected: Record<string, { title?: string; header: { seedLength?: number } }> = JSON.parse(
      readFileSync(join(SHARED, 'dsh/expected.json'), 'utf8'),
    )
    let compared = 0
    for (const path of readdirSync(join(SHARED, 'dsh'), { recursive: true }).map(String)) {
      const told = expected[path]
      // DSH counts inherited titles; a session's own is asked for here.
      if (!path.endsWith('session.jsonl') || !told || told.header.seedLength !== undefined) continue
      const directory = join(SHARED, 'dsh', dirname(path))
      const odd = { ...place, directory, logPath: join(directory, 'session.jsonl') }
      const scanned = valueOf(await scanForTitle(odd))
      const facts = await readFacts(odd)
      expect([path, scanned.title]).toEqual([path, told.title ?? undefined])
      if (facts.settled) expect([path, facts.title]).toEqual([path, told.title ?? undefined])
      compared++
    }
    expect(compared).toBeGreaterThan(15)
  })

  test('f22: one main, one fork, helpers by their recorded kind, the odd one named', async () => {
    await cp(join(SHARED, 'faults/f22-tree'), home.root, { recursive: true })
    const facts = await Promise.all((await allOf(home.tree.places())).map((each) => home.tree.facts(each)))
    const told = Object.fromEntries(
      facts.map((each) => [each.place.id.slice(-2), [each.place.kind, each.firstPrompt, each.problem?.field]]),
    )
    expect(told).toEqual({
      '22': ['main', 'Plan the harvest.', undefined],
      '61': ['subagent', 'You are a read-only reviewer.', undefined],
      '62': ['subagent', 'No origin key, only a parent.', undefined],
      '63': ['subagent', 'No origin key, only a depth.', 'kind'],
      '64': ['fork', 'Plan it for winter instead.', undefined],
      '65': ['subagent', 'Helper of the fork.', undefined],
      '66': ['subagent', 'Helper that was given the history.', undefined],
    })
  })
})
