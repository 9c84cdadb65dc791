/** Runs one task, now or when another has ended. */
export type Limit = <Value>(task: () => Promise<Value>) => Promise<Value>

/** At most `most` tasks at a time: ten thousand logs must not mean ten thousand open files. */
export function createLimit(most: number): Limit {
  const waiting: (() => void)[] = []
  let running = 0
  return async (task) => {
    // The place of an ended task goes to the next in line, so `running` is not touched in between.
    if (running < most) running++
    else await new Promise<void>((resume) => waiting.push(resume))
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
