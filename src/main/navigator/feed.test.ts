import { expect, it } from 'vitest'
import type { SessionId } from '../../shared/session-id.ts'
import { newSessionId } from '../session-tree/session-id.ts'
import { mainPlace } from '../session-tree/layout.ts'
import type { SessionFacts } from '../session-tree/session-tree.ts'
import type { SeenSession } from '../session-tree/tree-watcher-index.ts'
import { createFeed } from './feed.ts'

const seen = (id: SessionId, size: number): SeenSession => ({
  place: mainPlace('/tree', id),
  stamp: { size, mtimeMs: 0, inode: 1 },
})
const factsOf = ({ place, stamp }: SeenSession): SessionFacts => ({
  place,
  ...(stamp ? { file: stamp } : {}),
  settled: true,
  status: 'cold',
  openTurn: false,
  cutTail: false,
  waiting: false,
})
const change = (more: { added?: SeenSession[]; changed?: SeenSession[]; removed?: SessionId[] }) => ({
  added: [],
  changed: [],
  removed: [],
  ...more,
})

const turn = (): Promise<false> => new Promise((resolve) => setImmediate(() => resolve(false)))

/** A navigator that notes what it is told, and facts that wait until they are let go. */
function setUp() {
  const told: string[] = []
  const faults: string[] = []
  const waiting: (() => void)[] = []
  let reads = 0
  const feed = createFeed(
    {
      put: async ({ place, file }) => void told.push(`${place.id} ${file?.size}`),
      remove: (id) => void told.push(`${id} removed`),
    },
    async (session) => {
      reads += 1
      await new Promise<void>((resolve) => waiting.push(resolve))
      if (session.stamp?.size === 666) throw new Error('bug')
      return factsOf(session)
    },
    (sentence) => faults.push(sentence),
  )
  const letGo = async (): Promise<void> => {
    const isSettled = feed.settled().then(() => true)
    do for (const resolve of waiting.splice(0)) resolve()
    while (!(await Promise.race([isSettled, turn()])))
  }
  return { feed, told, faults, letGo, reads: () => reads }
}

it('reads a session that changes while it waits once, as it was last seen', async () => {
  const { feed, told, letGo, reads } = setUp()
  const ids = Array.from({ length: 40 }, newSessionId)
  feed.take(change({ added: ids.map((id) => seen(id, 1)) }))
  feed.take(change({ changed: ids.slice(20).map((id) => seen(id, 2)) }))
  await letGo()
  expect(told.toSorted()).toEqual(
    [...ids.slice(0, 20).map((id) => `${id} 1`), ...ids.slice(20).map((id) => `${id} 2`)].toSorted(),
  )
  expect(reads()).toBe(40)
})

it('does not read what was removed while it waited, and tells the removal', async () => {
  const { feed, told, letGo } = setUp()
  const ids = Array.from({ length: 20 }, newSessionId)
  const last = ids.at(-1)
  if (last === undefined) throw new Error('no id')
  feed.take(change({ added: ids.map((id) => seen(id, 1)) }))
  feed.take(change({ removed: [last] }))
  await letGo()
  expect(told).toHaveLength(20)
  expect(told).toContain(`${last} removed`)
  expect(told).not.toContain(`${last} 1`)
})

it('goes on after a session whose facts fail', async () => {
  const { feed, told, faults, letGo } = setUp()
  const [one, two] = [newSessionId(), newSessionId()]
  feed.take(change({ added: [seen(one, 666), seen(two, 2)] }))
  await letGo()
  expect(told).toEqual([`${two} 2`])
  expect(faults).toHaveLength(1)
})

it('is settled at once where there is nothing to do', async () => {
  const { feed } = setUp()
  await feed.settled()
})
