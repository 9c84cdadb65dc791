import { readdir, stat } from 'node:fs/promises'
import { fail, ok, type Result } from '../../shared/result.ts'
import { parseSessionId, type SessionId } from '../../shared/session-id.ts'
import { toolError } from '../../shared/tool-error.ts'
import { childKinds, childPlace, COLLECTION, collectionDirectory, mainPlace } from './layout.ts'
import type { SessionPlace } from './session-tree.ts'

/** Enough to keep the thread pool busy, few enough to leave it to others as well. */
const CONCURRENCY = 16

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

/** Everything below a place, parents before their children. */
export async function* placesBelow(parent: SessionPlace): AsyncGenerator<SessionPlace> {
  for (const child of await childPlaces(parent)) {
    yield child
    yield* placesBelow(child)
  }
}

/** Every place in the tree: mains first, then what is below each, parents before children. */
export async function* allPlaces(root: string): AsyncGenerator<SessionPlace> {
  const mains = await mainPlaces(root)
  yield* mains
  // Read ahead, so that ten thousand folders do not cost ten thousand waits.
  for (let first = 0; first < mains.length; first += CONCURRENCY) {
    const batch = await Promise.all(mains.slice(first, first + CONCURRENCY).map(childPlaces))
    for (const children of batch) {
      for (const child of children) {
        yield child
        yield* placesBelow(child)
      }
    }
  }
}

/**
 * Finds sessions by id, on disk. Places found on the way are remembered as hints; a hint is believed only if the directory
 * is there.
 * @returns the place, or `unknown_session`.
 */
export function createLocator(root: string): (id: SessionId) => Promise<Result<SessionPlace>> {
  const hints = new Map<SessionId, SessionPlace>()
  return async (id) => {
    const hint = hints.get(id) ?? mainPlace(root, id)
    if (await isDirectory(hint.directory)) return ok(hint)
    hints.delete(id)
    for await (const place of allPlaces(root)) {
      if (place.kind !== 'main') hints.set(place.id, place)
      if (place.id === id) return ok(place)
    }
    return fail(
      toolError(
        'unknown_session',
        `There is no session ${id} in ${root}. It may have been removed; look at the list again.`,
      ),
    )
  }
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}
