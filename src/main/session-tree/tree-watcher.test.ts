import { appendFile, mkdir, mkdtemp, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SessionId } from '../../shared/session-id.ts'
import type { ToolError } from '../../shared/tool-error.ts'
import { readFacts } from './facts.ts'
import { childPlace, mainPlace } from './layout.ts'
import { newSessionId } from './session-id.ts'
import type { SessionPlace } from './session-tree.ts'
import { consumer, create, eventually, stampOf } from './testing/watched-tree.ts'
import { watchTree, type TreeWatcher } from './tree-watcher.ts'

const NEVER = 3_600_000

let home: string
let root: string
let stops: (() => unknown)[]
let lost: unknown[]

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tree-watcher-'))
  root = join(home, 'session-tree')
  await mkdir(root)
  stops = []
  lost = []
})

afterEach(async () => {
  await Promise.all(stops.map((stop) => stop()))
  expect(lost).toEqual([])
  await rm(home, { recursive: true, force: true })
})

interface Way {
  readonly where: string
  readonly sweepThread?: URL
}
const ELSEWHERE: Way = { where: 'on a thread of its own', sweepThread: new URL('./sweep-worker.ts', import.meta.url) }
let way: Way

function watch(sweepEveryMs = NEVER) {
  const told = consumer()
  const notices: string[] = []
  const problems: ToolError[] = []
  const watcher: TreeWatcher = watchTree(
    { root },
    {
      onChange: (change) => told.take(change),
      onNotice: (notice) => notices.push(notice),
      onFolderProblem: (problem) => problems.push(problem),
      onThreadLost: (error) => lost.push(error),
      sweepEveryMs,
      ...(way.sweepThread ? { sweepThread: way.sweepThread } : {}),
    },
  )
  stops.push(() => watcher.stop())
  return { watcher, ...told, notices, problems }
}

const createMain = (): Promise<SessionPlace> => create(mainPlace(root, newSessionId()))
const createBelow = (parent: SessionPlace, kind: 'fork' | 'subagent'): Promise<SessionPlace> =>
  create(childPlace(parent, kind, newSessionId()))

const ids = (...places: SessionPlace[]): Set<SessionId> => new Set(places.map((place) => place.id))

describe.each([ELSEWHERE, { where: 'on this thread' }])('looking $where', (looks) => {
  beforeEach(() => {
    way = looks
  })

  describe('a look at everything', () => {
    test('tells every session with its place and stamp, then only what is different', async () => {
      const main = await createMain()
      const forked = await createBelow(main, 'fork')
      const nested = await createBelow(await createBelow(forked, 'subagent'), 'subagent')
      const { watcher, known, changes } = watch()
      await watcher.refresh()
      expect(known.size).toBe(4)
      expect(known.get(nested.id)).toMatchObject({ place: nested, stamp: await stampOf(nested) })
      if (way.sweepThread) expect(known.get(nested.id)?.facts).toEqual(await readFacts(nested))
      expect(changes.flatMap((change) => change.changed)).toEqual([])

      changes.length = 0
      await watcher.refresh()
      expect(changes).toEqual([])

      await appendFile(forked.logPath, '{}\n')
      const added = await createBelow(main, 'subagent')
      await rm(join(forked.directory, 'subagents'), { recursive: true })
      await watcher.refresh()
      expect(known.get(forked.id)?.stamp).toEqual(await stampOf(forked))
      expect(new Set(known.keys())).toEqual(ids(main, forked, added))
      expect(changes).toHaveLength(1)
    })

    test('of a root that is not there tells nothing, and sees it come and go', async () => {
      await rm(root, { recursive: true })
      const { watcher, known } = watch()
      await watcher.refresh()
      expect(known.size).toBe(0)
      const main = await createMain()
      await watcher.refresh()
      expect(new Set(known.keys())).toEqual(ids(main))
      await rm(root, { recursive: true })
      await watcher.refresh()
      expect(known.size).toBe(0)
    })

    test('sees logs that got shorter, were replaced, went away and came again', async () => {
      const [short, replaced, gone] = [await createMain(), await createMain(), await createMain()]
      const { watcher, known, changes } = watch()
      await watcher.refresh()
      await truncate(short.logPath, 3)
      await writeFile(`${replaced.logPath}.new`, '{"type":"session"}\n')
      await rename(`${replaced.logPath}.new`, replaced.logPath)
      await rm(gone.logPath)
      changes.length = 0
      await watcher.refresh()
      expect(known.get(short.id)?.stamp?.size).toBe(3)
      expect(known.get(replaced.id)?.stamp).toEqual(await stampOf(replaced))
      expect(known.get(gone.id)).toEqual({ place: gone })
      expect(changes.flatMap((change) => [...change.added, ...change.removed])).toEqual([])
      await create(gone)
      await watcher.refresh()
      expect(known.get(gone.id)?.stamp).toEqual(await stampOf(gone))
    })

    test('passes over what is no session', async () => {
      await writeFile(join(root, newSessionId()), 'a file')
      await mkdir(join(root, '.new-0b3a'))
      await mkdir(join(root, 'notes'))
      const main = await createMain()
      await symlink(main.directory, join(root, newSessionId()))
      const subagent = await createBelow(main, 'subagent')
      // Only a main holds forks.
      await create({
        ...subagent,
        directory: join(subagent.directory, 'forks', newSessionId()),
        logPath: join(subagent.directory, 'x'),
      })
      const { watcher, known } = watch()
      await watcher.refresh()
      expect(new Set(known.keys())).toEqual(ids(main, subagent))
    })

    test('a session that moved is where it is now, whichever end is seen first', async () => {
      const [one, two] = [await createMain(), await createMain()]
      const helper = await createBelow(one, 'subagent')
      const { watcher, known } = watch()
      await watcher.refresh()
      for (const parent of [two, one, two]) {
        const place = childPlace(parent, 'subagent', helper.id)
        await mkdir(join(place.directory, '..'), { recursive: true })
        await rename(known.get(helper.id)?.place.directory ?? '', place.directory)
        await watcher.refresh()
        expect(known.get(helper.id)?.place).toEqual(place)
      }
      const main = mainPlace(root, helper.id)
      await rename(known.get(helper.id)?.place.directory ?? '', main.directory)
      await rm(two.directory, { recursive: true })
      await watcher.refresh()
      expect(new Set(known.keys())).toEqual(ids(one, main))
      expect(known.get(helper.id)?.place).toEqual(main)
    })

    test('of two copies of a session one stays when the other goes', async () => {
      const main = await createMain()
      const other = await createMain()
      const copy = await create(childPlace(other, 'fork', main.id))
      const { watcher, known } = watch()
      await watcher.refresh()
      expect(new Set(known.keys())).toEqual(ids(main, other))
      await rm(main.directory, { recursive: true })
      await watcher.refresh()
      expect(known.get(main.id)?.place).toEqual(copy)
      await rm(copy.directory, { recursive: true })
      await watcher.refresh()
      expect(new Set(known.keys())).toEqual(ids(other))
    })

    test('a folder that cannot be read is named once, and nothing below it is lost', async () => {
      const main = await createMain()
      const helper = await createBelow(main, 'subagent')
      const { watcher, known, problems } = watch()
      await watcher.refresh()
      const folder = join(main.directory, 'subagents')
      await rename(folder, `${folder}.away`)
      await symlink('subagents', folder)
      await watcher.refresh()
      await watcher.refresh()
      expect(problems).toMatchObject([{ code: 'io_failed', path: folder }])
      expect(known.has(helper.id)).toBe(true)
      await rm(folder)
      await rename(`${folder}.away`, folder)
      await watcher.refresh()
      expect(new Set(known.keys())).toEqual(ids(main, helper))
    })
  })

  describe('while active', () => {
    test('watches tell what happens to the root, the open session and the visible ones', async () => {
      const [open, visible] = [await createMain(), await createMain()]
      const helper = await createBelow(open, 'subagent')
      const deep = await createBelow(helper, 'subagent')
      const { watcher, known, notices } = watch()
      watcher.setOpen(open.id)
      watcher.setVisible([visible.id])
      watcher.setActive(true)
      await eventually(() => known.size).toBe(4)

      const main = await createMain()
      await eventually(() => known.has(main.id)).toBe(true)
      for (const place of [open, visible, deep]) {
        await appendFile(place.logPath, 'more\n')
        const stamp = await stampOf(place)
        await eventually(() => known.get(place.id)?.stamp).toEqual(stamp)
      }
      const forked = await createBelow(visible, 'fork')
      await eventually(() => known.has(forked.id)).toBe(true)
      const second = await createBelow(visible, 'fork')
      await eventually(() => known.has(second.id)).toBe(true)
      const newest = await createBelow(deep, 'subagent')
      await eventually(() => known.has(newest.id)).toBe(true)
      await truncate(open.logPath, 1)
      await eventually(() => known.get(open.id)?.stamp?.size).toBe(1)
      await rm(visible.directory, { recursive: true })
      await eventually(() => [visible, forked, second].some((place) => known.has(place.id))).toBe(false)
      await create(visible)
      await eventually(() => known.has(visible.id)).toBe(true)
      await appendFile(visible.logPath, 'again\n')
      const stamp = await stampOf(visible)
      await eventually(() => known.get(visible.id)?.stamp).toEqual(stamp)
      expect(notices).toEqual([])
    })

    test('the timer finds what is not watched', async () => {
      const main = await createMain()
      const hidden = await createBelow(main, 'subagent')
      const { watcher, known } = watch(50)
      watcher.setActive(true)
      await eventually(() => known.size).toBe(2)
      await appendFile(hidden.logPath, 'more\n')
      const stamp = await stampOf(hidden)
      await eventually(() => known.get(hidden.id)?.stamp).toEqual(stamp)
    })

    test('a burst is told in few pieces', async () => {
      const { watcher, known, changes } = watch()
      watcher.setActive(true)
      await watcher.refresh()
      for (let count = 0; count < 300; count += 1) await createMain()
      await eventually(() => known.size).toBe(300)
      expect(changes.length).toBeLessThan(100)
    })

    test('the root may be taken away and put back', async () => {
      const main = await createMain()
      const { watcher, known } = watch(50)
      watcher.setActive(true)
      await eventually(() => known.size).toBe(1)
      await rename(root, `${root}.away`)
      await eventually(() => known.size).toBe(0)
      await rename(`${root}.away`, root)
      await eventually(() => new Set(known.keys())).toEqual(ids(main))
    })

    test('hidden, nothing is looked at; in front again, everything is', async () => {
      const main = await createMain()
      const { watcher, known, changes } = watch(20)
      watcher.setVisible([main.id])
      watcher.setActive(true)
      await eventually(() => known.size).toBe(1)
      await watcher.refresh()
      watcher.setActive(false)
      changes.length = 0
      await appendFile(main.logPath, 'more\n')
      const created = await createMain()
      // Another watcher sees it, so there was time enough for this one.
      const other = watch(20)
      other.watcher.setActive(true)
      await eventually(() => other.known.has(created.id)).toBe(true)
      await other.watcher.refresh()
      expect(changes).toEqual([])
      watcher.setActive(true)
      await eventually(() => known.has(created.id)).toBe(true)
    })

    test('after a stop nothing is told', async () => {
      const { watcher, changes } = watch(20)
      watcher.setActive(true)
      const looking = watcher.refresh()
      watcher.stop()
      await createMain()
      await looking
      await watcher.refresh()
      expect(changes).toEqual([])
    })
  })
})

test('without its thread it looks on by itself, and says so once', async () => {
  way = { where: 'nowhere', sweepThread: new URL('./not-there.ts', import.meta.url) }
  const main = await createMain()
  const { watcher, known } = watch()
  await watcher.refresh()
  expect(new Set(known.keys())).toEqual(ids(main))
  await appendFile(main.logPath, 'more\n')
  await watcher.refresh()
  expect(known.get(main.id)?.stamp).toEqual(await stampOf(main))
  expect(lost.splice(0)).toHaveLength(1)
})

test('what came and went by a hint is found again by the thread', async () => {
  way = ELSEWHERE
  const [main, other] = [await createMain(), await createMain()]
  const helper = await createBelow(main, 'subagent')
  const { watcher, known } = watch()
  watcher.setVisible([other.id])
  watcher.setActive(true)
  await watcher.refresh()
  await rename(main.directory, `${main.directory}.away`)
  await eventually(() => known.size).toBe(1)
  watcher.setActive(false)
  // The very same directory: nothing on disk says that it was away.
  await rename(`${main.directory}.away`, main.directory)
  await watcher.refresh()
  expect(new Set(known.keys())).toEqual(ids(main, other, helper))
})
