import type { TreeIndex } from './tree-watcher-index.ts'
import type { KnownFolder, KnownSession } from './tree-watcher-known.ts'

/** Looks at once: enough to keep the thread pool busy, few enough that others' reads wait for a handful only. */
const LOOKS_AT_ONCE = 16
/** Looks at what is known, and at what is found below it on the way. */
export interface Visits {
  /** @param all also at what was looked at before */
  readonly session: (session: KnownSession, all: boolean, thorough?: boolean) => Promise<void>
  readonly folder: (folder: KnownFolder, all: boolean, thorough?: boolean) => Promise<void>
  /** Some at once, until all are done or there is no use in it any more. */
  readonly inParallel: <Item>(items: readonly Item[], work: (item: Item) => Promise<void>) => Promise<void>
}

/** @param mayGoOn false once nobody wants to know what is not looked at yet */
export function createVisits(index: TreeIndex, mayGoOn: () => boolean): Visits {
  async function visit(session: KnownSession, all: boolean, thorough = false): Promise<void> {
    await index.lookAtSession(session, thorough)
    for (const folder of session.collections.values()) await visitFolder(folder, all, thorough)
  }

  async function visitFolder(folder: KnownFolder, all: boolean, thorough = false): Promise<void> {
    const unseen = await index.lookAtFolder(folder, thorough)
    if (!unseen) return
    for (const session of all ? [...folder.sessions.values()] : unseen) await visit(session, all, thorough)
  }

  async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
    let next = 0
    const worker = async (): Promise<void> => {
      for (let item = items[next++]; item !== undefined; item = items[next++]) {
        if (!mayGoOn()) return
        await work(item)
      }
    }
    await Promise.all(Array.from({ length: Math.min(LOOKS_AT_ONCE, items.length) }, worker))
  }

  return { session: visit, folder: visitFolder, inParallel }
}
