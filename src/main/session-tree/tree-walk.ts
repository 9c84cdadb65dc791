import { readdir } from 'node:fs/promises'
import { parseSessionId, type SessionId } from '../../shared/session-id.ts'
import { childKinds, childPlace, COLLECTION, collectionDirectory, mainPlace } from './layout.ts'
import type { SessionPlace } from './session-tree.ts'

/** Enough to keep the thread pool busy, few enough to leave it to others as well. */
const CONCURRENCY = 64

/** The places in one folder, by id. A folder that cannot be read holds none: its neighbours go on. */
async function placesIn(directory: string, place: (id: SessionId) => SessionPlace): Promise<SessionPlace[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => [])
  const places: SessionPlace[] = []
  for (const entry of entries) {
    if (!entry.isDirectory()) continue
    const id = parseSessionId(entry.name)
    if (id.ok) places.push(place(id.value))
  }
  return places.toSorted((left, right) => (left.id < right.id ? -1 : 1))
}

/** The place of each main, by id. A root that is not there holds none. */
export function mainPlaces(root: string): Promise<SessionPlace[]> {
  return placesIn(root, (id) => mainPlace(root, id))
}

/** The places directly below a session: forks first, then subagents, each by id. */
export async function childPlaces(parent: SessionPlace): Promise<SessionPlace[]> {
  const names: readonly string[] = await readdir(parent.directory).catch(() => [])
  const kinds = childKinds(parent.kind).filter((kind) => names.includes(COLLECTION[kind]))
  const lists = await Promise.all(
    kinds.map((kind) => placesIn(collectionDirectory(parent, kind), (id) => childPlace(parent, kind, id))),
  )
  return lists.flat()
}

/** Every place in the tree: mains first, then what is below them, generation by generation: parents before children. */
export async function* allPlaces(root: string): AsyncGenerator<SessionPlace> {
  let generation = await mainPlaces(root)
  while (generation.length > 0) {
    yield* generation
    const next: SessionPlace[] = []
    // Read side by side, so that ten thousand folders do not cost ten thousand waits.
    for (let first = 0; first < generation.length; first += CONCURRENCY) {
      const lists = await Promise.all(generation.slice(first, first + CONCURRENCY).map(childPlaces))
      next.push(...lists.flat())
    }
    generation = next
  }
}
