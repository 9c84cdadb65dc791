import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { factsSteps, unreadableFacts, WINDOW } from './facts-steps.ts'
import type { SessionFacts, SessionPlace } from './session-tree.ts'

/** One for all: nothing else runs on this thread while a log is read. */
let shared: Buffer | undefined

/**
 * The facts of a session as `readFacts` has them, read in one go: for a worker thread and for the command line, where nobody
 * waits beside. Each asynchronous reading costs four trips to the thread pool, which is most of what it takes.
 */
export function readFactsBlocking(place: SessionPlace): SessionFacts {
  let descriptor: number | undefined
  try {
    const buffer = (shared ??= Buffer.allocUnsafeSlow(2 * WINDOW))
    descriptor = openSync(place.logPath, 'r')
    const stats = fstatSync(descriptor)
    const bytes = readSync(descriptor, buffer, 0, Math.min(WINDOW, stats.size), 0)
    const steps = factsSteps(place, { buffer, bytes, stats })
    let step = steps.next()
    while (!step.done) {
      const { into, position } = step.value
      step = steps.next(readSync(descriptor, into, 0, into.length, position))
    }
    return step.value
  } catch (error) {
    return unreadableFacts(place, error)
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
