import type { ToolError } from '../../shared/tool-error.ts'
import { startSweeper } from './sweeper.ts'
import type { TreeIndex } from './tree-watcher-index.ts'
import type { Visits } from './tree-watcher-visits.ts'

/** First rows are told early in a long look. */
const BATCH_SIZE = 500
/** Looks at everything: by a thread of its own where that can be had, else by this one. */
export interface Sweeps {
  readonly isElsewhere: boolean
  /** One look at everything; only one at a time. What is found is told in between. */
  readonly lookAtAll: (thorough: boolean) => Promise<void>
  /** What was known at this path is not known any more; the thread may still know it. */
  readonly forget: (path: string) => void
  /** Ends a look early. */
  readonly cancel: () => void
  readonly stop: () => void
}

export interface SweepOptions {
  readonly index: TreeIndex
  readonly visits: Visits
  readonly thread: URL | undefined
  readonly onLost: (error: unknown) => void
  /** How much was found that is not told yet. */
  readonly waiting: () => number
  readonly tell: () => void
  readonly unreadable: (problem: ToolError) => void
}

/** Sweeps over the tree of an index. The thread is started at once: the first look comes soon. */
export function createSweeps({ index, visits, thread, onLost, waiting, tell, unreadable }: SweepOptions): Sweeps {
  const sweeper = thread && startSweeper(index.root.path, thread, onLost)
  /** What the thread found to be different, until it was looked at. */
  const differing = new Set<string>()
  const forgotten = new Set<string>()
  let isStopped = false

  /**
   * What the thread found new is believed; where it says that something differs, that is looked at here: a hint may have
   * brought younger news of it meanwhile.
   */
  async function sweepElsewhere(thorough: boolean): Promise<boolean> {
    if (!sweeper) return false
    const forget = [...forgotten]
    forgotten.clear()
    await lookAtDiffering([...differing])
    return sweeper.sweep({ thorough, forget }, async ({ found, differs, problems: met }) => {
      const others = found.filter((seen) => !index.take(seen)).map((seen) => seen.place.directory)
      met.forEach(unreadable)
      await lookAtDiffering([...differs, ...others])
      tell()
    })
  }

  async function lookAtDiffering(paths: readonly string[]): Promise<void> {
    for (const path of paths) differing.add(path)
    await visits.inParallel(paths, async (path) => {
      const known = index.knownAt(path)
      const look = known && ('place' in known ? index.lookAtSession(known, true) : index.lookAtFolder(known, true))
      // What cannot be looked at now stays for the next sweep.
      if (Boolean(await look) || !known) differing.delete(path)
    })
  }

  async function sweepHere(thorough: boolean): Promise<void> {
    differing.clear()
    const isReadable = (await index.lookAtFolder(index.root, thorough)) !== undefined
    // The youngest ids first: those are the rows a person sees.
    const mains = (isReadable ? [...index.root.sessions.values()] : []).toSorted((one, other) =>
      one.place.id < other.place.id ? 1 : -1,
    )
    await visits.inParallel(mains, async (session) => {
      await visits.session(session, true, thorough)
      if (waiting() >= BATCH_SIZE) tell()
    })
  }

  return {
    isElsewhere: sweeper !== undefined,
    async lookAtAll(thorough) {
      const isDone = await sweepElsewhere(thorough)
      if (!isDone && !isStopped) await sweepHere(thorough)
    },
    forget(path) {
      if (sweeper) forgotten.add(path)
    },
    cancel: () => sweeper?.cancel(),
    stop() {
      isStopped = true
      sweeper?.stop()
    },
  }
}
