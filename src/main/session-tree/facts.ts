import { closeDescriptor, openDescriptor, readDescriptor, statDescriptor } from './descriptor.ts'
import { factsSteps, unreadableFacts, WINDOW } from './facts-steps.ts'
import type { SessionFacts, SessionPlace } from './session-tree.ts'

/**
 * The facts of a session, read without blocking (see {@link factsSteps}). Never fails: what is odd is in `problem`, and
 * what can be known beside it is there too.
 */
export async function readFacts(place: SessionPlace): Promise<SessionFacts> {
  let descriptor: number | undefined
  const buffer = spare.pop() ?? Buffer.allocUnsafeSlow(2 * WINDOW)
  try {
    descriptor = await openDescriptor(place.logPath)
    // Both at once: for the many small logs that is all there is to read.
    const [stats, bytes] = await Promise.all([
      statDescriptor(descriptor),
      readDescriptor(descriptor, buffer.subarray(0, WINDOW), 0),
    ])
    const steps = factsSteps(place, { buffer, bytes, stats })
    let step = steps.next()
    while (!step.done) step = steps.next(await readDescriptor(descriptor, step.value.into, step.value.position))
    return step.value
  } catch (error) {
    return unreadableFacts(place, error)
  } finally {
    if (descriptor !== undefined) await closeDescriptor(descriptor)
    if (spare.length < MOST_SPARE) spare.push(buffer)
  }
}

/** Buffers that are free: making 128 KiB for each of ten thousand logs would keep the garbage collector busy. */
const spare: Buffer[] = []
const MOST_SPARE = 64
