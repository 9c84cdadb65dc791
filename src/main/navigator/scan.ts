import type { SessionPlace, SessionTree } from '../session-tree/session-tree.ts'

/** Enough to keep the disk busy, few enough that the window's own reads are not kept waiting. */
const AT_ONCE = 16

/**
 * Looks at every session once: mains first and the youngest ids first, since those are the rows a person sees, then
 * what is below them. Each look is a few small reads, so other work gets its turn in between (issue 2, 50 ms).
 */
export async function scanTree(
  tree: Pick<SessionTree, 'mains' | 'places'>,
  look: (place: SessionPlace) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const mains = await tree.mains()
  await lookAtEach(mains.toReversed().values(), look, signal)
  await lookAtEach(tree.places(), (place) => (place.kind === 'main' ? Promise.resolve() : look(place)), signal)
}

async function lookAtEach(
  places: Iterator<SessionPlace> | AsyncIterable<SessionPlace>,
  look: (place: SessionPlace) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const next = Symbol.asyncIterator in places ? places[Symbol.asyncIterator]() : places
  const work = async (): Promise<void> => {
    while (!signal.aborted) {
      const { done, value } = await next.next()
      if (done) return
      await look(value)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}
