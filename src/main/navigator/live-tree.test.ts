import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { NavigatorPatch } from '../../shared/navigator-view.ts'
import type { Pushes } from '../../shared/bridge.ts'
import type { SessionId } from '../../shared/session-id.ts'
import { startCatalog, type LiveCatalog } from '../catalog/live-catalog.ts'
import { createGitWorktrees } from '../worktrees/git-worktrees.ts'
import { followTree, type LiveTree } from './live-tree.ts'
import { createNavigator, type Navigator } from './navigator.ts'
import { treeOnDisk, type TreeOnDisk } from './testing/tree-on-disk.ts'

let disk: TreeOnDisk
let navigator: Navigator
let live: LiveTree | undefined
let grown: Pushes['log_changed'][]
const faults: unknown[] = []
const listeners = new Set<(patch: NavigatorPatch) => void>()

beforeEach(async () => {
  disk = await treeOnDisk()
  grown = []
  faults.length = 0
  navigator = createNavigator({
    home: disk.home,
    tree: disk.tree,
    worktrees: createGitWorktrees({ home: disk.home }),
    onPatch: (patch) => listeners.forEach((listener) => listener(patch)),
    onLogChanged: (change) => grown.push(change),
  })
})
afterEach(async () => {
  await live?.stop()
  navigator.stop()
  listeners.clear()
  await disk.remove()
  expect(faults).toEqual([])
})

function follow(start: () => Promise<LiveCatalog | undefined> = () => Promise.resolve(undefined)): LiveTree {
  live = followTree({
    tree: disk.tree,
    navigator,
    startCatalog: start,
    sweepThread: new URL('../session-tree/sweep-worker.ts', import.meta.url),
    report: (sentence, error) => faults.push([sentence, error]),
  })
  return live
}

/** Resolves with the first patch for which this holds. */
function patchWith(holds: (patch: NavigatorPatch) => boolean): Promise<NavigatorPatch> {
  return new Promise((resolve) => {
    listeners.add((patch) => {
      if (holds(patch)) resolve(patch)
    })
  })
}

const shows =
  (id: SessionId) =>
  (patch: NavigatorPatch): boolean =>
    patch.changed.some((session) => session.session_id === id)

it('shows what is there, says when that is all, and is empty where there is no tree yet', async () => {
  const complete = patchWith((patch) => patch.complete)
  follow()
  expect((await complete).changed).toEqual([])
  expect(navigator.snapshot()).toMatchObject({ complete: true, sessions: [] })
  const main = await disk.add({ kind: 'main', cwd: await disk.folder('app') })
  const told = patchWith(shows(main.id))
  await live?.refresh()
  expect((await told).changed).toMatchObject([{ session_id: main.id, status: 'cold' }])
})

it('shows what other processes do while it is active, and the open log first', async () => {
  const cwd = await disk.folder('app')
  const main = await disk.add({ kind: 'main', cwd })
  const complete = patchWith((patch) => patch.complete)
  const followed = follow()
  followed.setActive(true)
  await complete
  followed.watch([main.id], main.id)
  const longer = patchWith((patch) => shows(main.id)(patch) && grown.length > 0)
  await disk.turn(main.id, 1)
  await longer
  const { file } = await disk.tree.facts(main)
  expect(grown.at(-1)).toMatchObject({ session_id: main.id, size: file?.size })
  const other = await disk.add({ kind: 'main', cwd })
  await patchWith(shows(other.id))
  const gone = patchWith((patch) => patch.removed.includes(other.id))
  await rm(other.directory, { recursive: true })
  await gone
  expect(navigator.snapshot().sessions.map((session) => session.session_id)).toEqual([main.id])
})

it('says nothing while nobody can see it, and everything once they can', async () => {
  const cwd = await disk.folder('app')
  const complete = patchWith((patch) => patch.complete)
  const followed = follow()
  await complete
  const main = await disk.add({ kind: 'main', cwd })
  expect(navigator.snapshot().sessions).toEqual([])
  const told = patchWith(shows(main.id))
  followed.setActive(true)
  await told
})

it('keeps facts in a catalog that comes late, and takes them from it at the next start', async () => {
  const cwd = await disk.folder('app')
  const main = await disk.add({ kind: 'main', cwd, title: 'Kept' })
  const catalogPath = join(disk.home, 'treeline', 'catalog.db')
  const workerUrl = new URL('../catalog/indexer-worker.ts', import.meta.url)
  let read = 0
  const tree = { facts: (place: Parameters<typeof disk.tree.facts>[0]) => ((read += 1), disk.tree.facts(place)) }
  const start = async (): Promise<LiveCatalog> =>
    startCatalog({
      workerUrl,
      catalogPath,
      tree,
      onFacts: () => undefined,
      onUnavailable: (error) => faults.push(error),
    })
  const complete = patchWith((patch) => patch.complete)
  const seen = patchWith(shows(main.id))
  let catalog = await start()
  follow(async () => {
    await complete
    return catalog
  })
  expect((await seen).changed).toMatchObject([{ title: 'Kept' }])
  await catalog.loaded
  await live?.refresh()
  await live?.stop()
  const readAtFirst = read

  // The same log by size, time and inode, but nothing to read any more: what shows can only be kept facts.
  catalog = await start()
  await catalog.loaded
  const { file } = await disk.tree.facts(main)
  await rename(main.logPath, `${main.logPath}.away`)
  const kept = await catalog.factsOf({ place: main, ...(file ? { stamp: file } : {}) })
  expect(kept).toMatchObject({ title: 'Kept', status: 'cold' })
  expect(read).toBe(readAtFirst)
  await catalog.stop()
})
