import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { readFacts } from './facts.ts'
import { childrenIn, mainsIn } from './folder-entries.ts'
import { childKinds, COLLECTION, collectionDirectory } from './layout.ts'
import { createLimit } from './limit.ts'
import type { SessionFacts, SessionPlace } from './session-tree.ts'

type Awaitable<Value> = Value | Promise<Value>

/** How what a tree is made of is read. Two ways: one that lets others go on meanwhile, and one that blocks and costs less. */
export interface TreeReading {
  /** The place of each main, by id. A root that is not there holds none. */
  mains(root: string): Awaitable<readonly SessionPlace[]>
  /** The places directly below a session: forks first, then subagents, each by id. */
  children(parent: SessionPlace): Awaitable<readonly SessionPlace[]>
  /** Never fails: what is odd is said in the facts. */
  facts(place: SessionPlace): Awaitable<SessionFacts>
  isDirectory(path: string): Awaitable<boolean>
}

/** So many logs are looked at at once: enough that the thread pool is never idle, far below what may be open. */
const CONCURRENCY = 64

/** Reads over the thread pool: for whoever has a window or other callers to serve. */
export function createReading(): TreeReading {
  const limit = createLimit(CONCURRENCY)
  return {
    mains: async (root) => mainsIn(root, await entriesOf(root)),
    async children(parent) {
      const names: readonly string[] = await readdir(parent.directory).catch(() => [])
      const kinds = childKinds(parent.kind).filter((kind) => names.includes(COLLECTION[kind]))
      const lists = await Promise.all(
        kinds.map(async (kind) => childrenIn(parent, kind, await entriesOf(collectionDirectory(parent, kind)))),
      )
      return lists.flat()
    },
    facts: (place) => limit(() => readFacts(place)),
    isDirectory: (path) =>
      stat(path).then(
        (found) => found.isDirectory(),
        () => false,
      ),
  }
}

/** A folder that cannot be read holds none: its neighbours go on. */
function entriesOf(path: string): Promise<Dirent[]> {
  return readdir(path, { withFileTypes: true }).catch(() => [])
}

/** The places directly below a session, forks first: for whoever walks a tree from somewhere in its middle. */
export async function childPlaces(parent: SessionPlace): Promise<readonly SessionPlace[]> {
  return createReading().children(parent)
}
