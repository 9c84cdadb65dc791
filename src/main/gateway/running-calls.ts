/** The calls that run in a home: when its owner lets go of it, none may still write. */
export interface RunningCalls {
  /** Runs `work` with a signal that is aborted by the caller's or by `stop`. */
  run<Value>(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<Value>): Promise<Value>
  /** Aborts what runs, and what is started from now on, and waits until nothing runs. */
  stop(): Promise<void>
}

/** No call runs yet. */
export function createRunningCalls(): RunningCalls {
  const stopping = new AbortController()
  const running = new Set<Promise<unknown>>()
  return {
    async run(signal, work) {
      const call = work(signal ? AbortSignal.any([signal, stopping.signal]) : stopping.signal)
      running.add(call)
      try {
        return await call
      } finally {
        running.delete(call)
      }
    },
    async stop() {
      stopping.abort()
      while (running.size > 0) await Promise.allSettled(running)
    },
  }
}
