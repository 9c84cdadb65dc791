import {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ToolError } from '../../shared/tool-error.ts'
import { blockingReading } from './blocking-reading.ts'
import { readFactsBlocking } from './facts-blocking.ts'
import { readFacts } from './facts.ts'
import { childPlace, collectionDirectory, mainPlace } from './layout.ts'
import { diskThatCounts } from './link-count.ts'
import { newSessionId } from './session-id.ts'
import type { SessionPlace } from './session-tree.ts'
import { sampleLog, writeAt } from './testing/sample-log.ts'
import { allOf, createIn, forkOf, makeTreeHome, turnDrafts, valueOf, type TreeHome } from './testing/tree-home.ts'
import { createTreeScan, type FoundSession } from './tree-scan.ts'
import { openSessionTree } from './tree-provider.ts'

let home: TreeHome

beforeEach(() => {
  home = makeTreeHome()
})

afterEach(() => home.remove())

/** A scan, and what it told with each look. */
function scanned() {
  let found: FoundSession[] = []
  let differs: string[] = []
  let problems: ToolError[] = []
  const scan = createTreeScan(home.root, {
    found: (session) => found.push(session),
    differs: (path) => differs.push(path),
    unreadable: (problem) => problems.push(problem),
  })
  return {
    forget: scan.forget,
    look: (thorough = false) => {
      found = []
      differs = []
      problems = []
      for (const look = scan.look(thorough); look.next().done !== true;);
      return { found, differs, problems }
    },
  }
}

const logOf = (place: SessionPlace): string => sampleLog(place.id).turn('Q', 'A').text()

function put(place: SessionPlace): SessionPlace {
  writeAt(place.logPath, logOf(place))
  return place
}

const putMain = (): SessionPlace => put(mainPlace(home.root, newSessionId()))
const putBelow = (parent: SessionPlace, kind: 'fork' | 'subagent'): SessionPlace =>
  put(childPlace(parent, kind, newSessionId()))

const ids = (sessions: readonly FoundSession[]): string[] => sessions.map(({ place }) => place.id)

describe('a scan', () => {
  test('finds what is on disk with the same facts as a look without blocking, mains from the youngest', async () => {
    const main = await createIn(home.tree, { title: 'Apples' })
    valueOf(await home.tree.appendNext(main.id, turnDrafts(1, 'Count')))
    const fork = await forkOf(home.tree, main.id)
    const helper = await createIn(home.tree, { kind: 'subagent', parent: fork.id })
    const deep = await createIn(home.tree, { kind: 'subagent', parent: helper.id })
    const younger = await createIn(home.tree)
    const { found, problems } = scanned().look()
    expect(ids(found)).toEqual([younger.id, main.id, fork.id, helper.id, deep.id])
    for (const { place, facts, stamp } of found) {
      expect(facts).toEqual(await home.tree.facts(place))
      expect(stamp).toEqual(facts.file)
    }
    expect(problems).toEqual([])
  })

  test('tells again only what is not what it was', () => {
    const [same, grown, gone] = [putMain(), putMain(), putMain()]
    const helper = putBelow(grown, 'subagent')
    const { look } = scanned()
    expect(look().found).toHaveLength(4)
    expect(look()).toEqual({ found: [], differs: [], problems: [] })
    appendFileSync(helper.logPath, '{}\n')
    rmSync(gone.directory, { recursive: true })
    const added = putBelow(same, 'fork')
    const second = look()
    expect(ids(second.found)).toEqual([added.id])
    expect(new Set(second.differs)).toEqual(new Set([home.root, helper.directory]))
    expect(look(true)).toEqual({ found: [], differs: [], problems: [] })
  })

  test('sees collections come and go, also where no folder vouches for what is in it', () => {
    const main = putMain()
    const { look } = scanned()
    look()
    const first = putBelow(main, 'fork')
    expect(ids(look().found)).toEqual([first.id])
    const second = putBelow(main, 'fork')
    expect(ids(look().found)).toEqual([second.id])
    // Back to a time at which it was listed: a disk that does not keep times.
    const before = new Date(Date.now() - 60_000)
    const folder = collectionDirectory(main, 'fork')
    utimesSync(folder, before, before)
    look()
    const third = putBelow(main, 'fork')
    utimesSync(folder, before, before)
    expect(ids(look().found)).toEqual([])
    expect(ids(look(true).found)).toEqual([third.id])
    rmSync(folder, { recursive: true })
    expect(look().differs).toEqual([main.directory])
  })

  test('tells a log that got another stamp, was lost or replaced', () => {
    const [lost, replaced] = [putMain(), putMain()]
    const { look } = scanned()
    look()
    rmSync(lost.logPath)
    writeFileSync(`${replaced.logPath}.new`, logOf(replaced))
    renameSync(`${replaced.logPath}.new`, replaced.logPath)
    expect(new Set(look().differs)).toEqual(new Set([lost.directory, replaced.directory]))
    expect(look().differs).toEqual([])
  })

  test('finds again what was forgotten, with what is below, and nothing else', () => {
    const [main, other] = [putMain(), putMain()]
    const [fork, helper] = [putBelow(main, 'fork'), putBelow(other, 'subagent')]
    const { look, forget } = scanned()
    look()
    forget([main.directory, collectionDirectory(other, 'subagent')])
    const { found, differs } = look()
    expect(new Set(ids(found))).toEqual(new Set([main.id, fork.id, helper.id]))
    expect(differs).toEqual([])
  })

  test('passes over what is no session, and tells one whose place another thing has taken', () => {
    writeAt(join(home.root, newSessionId()), 'a file')
    mkdirSync(join(home.root, '.new-0b3a'))
    const main = putMain()
    symlinkSync(main.directory, join(home.root, newSessionId()))
    const { look } = scanned()
    expect(ids(look().found)).toEqual([main.id])
    rmSync(main.directory, { recursive: true })
    writeFileSync(main.directory, 'a file')
    expect(look().differs).toEqual([main.directory])
  })

  test('has a session without a log, and one whose log is a folder', () => {
    const [missing, odd] = [mainPlace(home.root, newSessionId()), mainPlace(home.root, newSessionId())]
    mkdirSync(missing.directory, { recursive: true })
    mkdirSync(odd.logPath, { recursive: true })
    const { found } = scanned().look()
    const facts = new Map(found.map((session) => [session.place.id, session]))
    expect(facts.get(missing.id)).toMatchObject({ facts: { status: 'missing' } })
    expect(facts.get(missing.id)).not.toHaveProperty('stamp')
    expect(facts.get(odd.id)).toMatchObject({ facts: { problem: { code: 'io_failed' } } })
    expect(facts.get(odd.id)?.stamp?.inode).toBe(statSync(odd.logPath).ino)
  })

  test('names a folder that cannot be read, and keeps what was below it', () => {
    const main = putMain()
    putBelow(main, 'subagent')
    const { look } = scanned()
    look()
    const folder = collectionDirectory(main, 'subagent')
    renameSync(folder, `${folder}.away`)
    symlinkSync('subagents', folder)
    const { problems, found, differs } = look()
    expect(new Set(problems.map(({ path }) => path))).toEqual(new Set([folder]))
    rmSync(folder)
    renameSync(`${folder}.away`, folder)
    expect([...found, ...differs, ...look().found]).toEqual([])
  })

  test('of a root that is not there tells nothing, and sees it come and go', () => {
    const { look } = scanned()
    expect(look()).toEqual({ found: [], differs: [], problems: [] })
    const main = putMain()
    expect(ids(look().found)).toEqual([main.id])
    rmSync(home.root, { recursive: true })
    expect(look().differs).toEqual([home.root])
    expect(look().differs).toEqual([])
  })
})

test('link counts of directories are believed only where they count', () => {
  mkdirSync(home.root)
  const disk = diskThatCounts(home.root)
  expect(diskThatCounts(join(home.root, 'not-there'))).toBeUndefined()
  if (disk === undefined) return
  expect(statSync(home.root)).toMatchObject({ dev: disk, nlink: 2 })
  mkdirSync(join(home.root, 'one'))
  writeFileSync(join(home.root, 'two'), '')
  expect(statSync(home.root).nlink).toBe(3)
})

describe('reading in one go', () => {
  test('answers what reading over the thread pool does', async () => {
    const main = await createIn(home.tree, { title: 'Apples' })
    valueOf(await home.tree.appendNext(main.id, turnDrafts(1, 'Count')))
    const fork = await forkOf(home.tree, main.id)
    const helper = await createIn(home.tree, { kind: 'subagent', parent: fork.id })
    mkdirSync(mainPlace(home.root, newSessionId()).directory)
    const blocking = openSessionTree(home.root, blockingReading)
    expect(await allOf(blocking.places())).toEqual(await allOf(home.tree.places()))
    expect(await blocking.mains()).toEqual(await home.tree.mains())
    expect(await blocking.view(main.id)).toEqual(await home.tree.view(main.id))
    expect(await blocking.locate(helper.id)).toEqual(await home.tree.locate(helper.id))
    expect(await blocking.locate(newSessionId())).toMatchObject({ error: { code: 'unknown_session' } })
    const nowhere = openSessionTree(join(home.folder, 'nowhere'), blockingReading)
    expect(await nowhere.mains()).toEqual([])
  })

  test.each<[string, (place: SessionPlace) => string]>([
    ['a short log', logOf],
    ['one that just fills a window', (place) => logOf(place).padEnd(64 * 1024, ' ')],
    ['a long log', (place) => long(place, 400)],
    ['one whose last line is longer than a window', (place) => long(place, 5) + long(place, 1, 200_000)],
    [
      'one with a damaged line for each sound one',
      (place) => long(place, 400).replaceAll('\n', '\n{"type":"turn/st\n'),
    ],
    ['an empty log', () => ''],
  ])('has the facts of %s', async (_name, content) => {
    const place = mainPlace(home.root, newSessionId())
    writeAt(place.logPath, content(place))
    expect(readFactsBlocking(place)).toEqual(await readFacts(place))
  })
})

function long(place: SessionPlace, turns: number, answer = 400): string {
  const log = sampleLog(place.id)
  for (let turn = 0; turn < turns; turn++) log.turn(`Q${turn}`, 'x'.repeat(answer))
  return log.text()
}
