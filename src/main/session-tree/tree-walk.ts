import type { SessionPlace } from './session-tree.ts'
import type { TreeReading } from './tree-reading.ts'

/** Enough to keep the thread pool busy, few enough to leave it to others as well. */
const CONCURRENCY = 64

/** Every place in the tree: mains first, then what is below them, generation by generation: parents before children. */
export async function* allPlaces(
  root: string,
  reading: Pick<TreeReading, 'mains' | 'children'>,
): AsyncGenerator<SessionPlace> {
  let generation = await reading.mains(root)
  while (generation.length > 0) {
    yield* generation
    const next: SessionPlace[] = []
    // Read side by side, so that ten thousand folders do not cost ten thousand waits.
    for (let first = 0; first < generation.length; first += CONCURRENCY) {
      const some = generation.slice(first, first + CONCURRENCY)
      const lists = await Promise.all(some.map(async (place) => reading.children(place)))
      next.push(...lists.flat())
    }
    generation = next
  }
}
