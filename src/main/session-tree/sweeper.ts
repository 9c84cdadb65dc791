import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Findings, SweepStart, ToSweeper } from './sweep-messages.ts'

/** Looks at a whole tree on a thread of its own: on the main thread that would be a tenth of a core, for ever. */
export interface Sweeper {
  /**
   * One sweep; the next one only after it. Findings come one after the other, each once the one before is taken in and the
   * event loop had its turn.
   * @param forget paths that are to be found anew if they are there
   * @returns false if there is no thread (any more): then nobody looks
   */
  readonly sweep: (
    request: { readonly thorough: boolean; readonly forget: readonly string[] },
    take: (findings: Findings) => Promise<void>,
  ) => Promise<boolean>
  /** Ends a sweep early. What it found by now is taken in all the same. */
  readonly cancel: () => void
  readonly stop: () => void
}

/**
 * Starts the thread.
 * @param code `out/main/sweep-worker.js`, or the source in plain Node 24
 * @param onLost once, if the thread cannot be had or has ended by itself
 */
export function startSweeper(root: string, code: URL, onLost: (error: unknown) => void): Sweeper {
  const start: SweepStart = { root }
  const worker = new Worker(code, { workerData: start, name: 'sweep' })
  let isThere = true
  let isStopped = false
  let current: { take: (findings: Findings) => Promise<void>; done: PromiseWithResolvers<boolean> } | undefined

  let taking = Promise.resolve()
  worker.on('message', (findings: Findings) => {
    taking = taking.then(() => takeIn(findings))
  })
  worker.on('error', (error) => {
    if (!isStopped) onLost(error)
  })
  worker.on('exit', () => {
    isThere = false
    current?.done.resolve(false)
  })
  // Only while somebody waits for a sweep is it a reason to go on.
  worker.unref()

  function ask(message: ToSweeper): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows; threads have no origin
    worker.postMessage(message)
  }

  async function takeIn(findings: Findings): Promise<void> {
    const sweep = current
    if (!sweep || isStopped) return
    try {
      await sweep.take(findings)
      // So many are delivered in one turn as there are: the window has its own first.
      await setImmediate()
      if (findings.last) sweep.done.resolve(true)
      else ask({ ask: 'more' })
    } catch (bug) {
      sweep.done.reject(bug)
    }
  }

  return {
    async sweep(request, take) {
      if (!isThere || isStopped) return false
      const done = Promise.withResolvers<boolean>()
      current = { take, done }
      worker.ref()
      ask({ ask: 'sweep', ...request })
      return done.promise.finally(() => {
        current = undefined
        worker.unref()
      })
    },
    cancel: () => ask({ ask: 'cancel' }),
    stop() {
      isStopped = true
      void worker.terminate()
    },
  }
}
