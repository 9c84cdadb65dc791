import type { SessionId } from '../../shared/session-id.ts'
import type { SessionFacts } from '../session-tree/session-tree.ts'
import type { TreeChange } from '../session-tree/tree-watcher.ts'
import type { SeenSession } from '../session-tree/tree-watcher-index.ts'
import type { Navigator } from './navigator.ts'

/** Reads at once: enough to keep the disk busy, few enough that the window's own reads are not kept waiting. */
const AT_ONCE = 16

/** Brings what the watcher tells to the navigator: reads the facts of each session that changed, in the order told. */
export interface Feed {
  take(change: TreeChange): void
  /** Resolves once everything taken so far is with the navigator. */
  settled(): Promise<void>
  stop(): void
}

/**
 * A feed that reads nothing yet. A session that changes again while it waits is read once; each read is a few small
 * ones, so other work gets its turn in between.
 * @param factsOf the facts of a session as it was seen: kept ones if they still hold, else read from the log
 */
export function createFeed(
  navigator: Pick<Navigator, 'put' | 'remove'>,
  factsOf: (seen: SeenSession) => Promise<SessionFacts>,
  report: (sentence: string, error: unknown) => void,
): Feed {
  const waiting = new Map<SessionId, SeenSession>()
  let workers = 0
  let isStopped = false
  let idle: (() => void)[] = []

  const work = async (): Promise<void> => {
    workers += 1
    for (;;) {
      const next: SeenSession | undefined = waiting.values().next().value
      if (next === undefined || isStopped) break
      waiting.delete(next.place.id)
      try {
        await navigator.put(await factsOf(next))
      } catch (error) {
        // A bug in one session's facts must not keep its neighbours away.
        report(`The facts of ${next.place.logPath} could not be taken in.`, error)
      }
    }
    workers -= 1
    if (workers > 0 || (waiting.size > 0 && !isStopped)) return
    for (const resolve of idle) resolve()
    idle = []
  }

  return {
    take({ added, changed, removed }) {
      for (const id of removed) {
        waiting.delete(id)
        navigator.remove(id)
      }
      for (const seen of [...added, ...changed]) waiting.set(seen.place.id, seen)
      for (let free = Math.min(AT_ONCE - workers, waiting.size); free > 0; free -= 1) void work()
    },
    settled: () =>
      new Promise((resolve) => {
        if (workers === 0 && waiting.size === 0) resolve()
        else idle.push(resolve)
      }),
    stop() {
      isStopped = true
      waiting.clear()
    },
  }
}
