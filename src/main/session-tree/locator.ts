import { fail, ok, type Result } from '../../shared/result.ts'
import type { SessionId } from '../../shared/session-id.ts'
import { toolError } from '../../shared/tool-error.ts'
import { mainPlace } from './layout.ts'
import type { SessionPlace } from './session-tree.ts'
import type { TreeReading } from './tree-reading.ts'
import { allPlaces } from './tree-walk.ts'

/** Finds sessions by id. What it remembers are hints: only what is on disk counts. */
export interface Locator {
  /** The place of a session, or `unknown_session` once the whole tree was looked through. */
  find(id: SessionId): Promise<Result<SessionPlace>>
  /**
   * The place an id is taken at, or undefined. For the home's owner, which alone creates sessions: the tree is looked
   * through once, after that only what was found or noted then is asked for again.
   */
  taken(id: SessionId): Promise<SessionPlace | undefined>
  /** Notes a session that was just published. */
  note(place: SessionPlace): void
}

/** Opens a locator of the tree at `root`. Reads nothing yet. */
export function createLocator(root: string, reading: TreeReading): Locator {
  const hints = new Map<SessionId, SessionPlace>()
  let walk: Promise<void> | undefined

  async function believed(id: SessionId): Promise<SessionPlace | undefined> {
    const place = hints.get(id) ?? mainPlace(root, id)
    if (await reading.isDirectory(place.directory)) return place
    hints.delete(id)
    return undefined
  }

  async function lookThrough(until?: SessionId): Promise<SessionPlace | undefined> {
    for await (const place of allPlaces(root, reading)) {
      if (place.kind !== 'main') hints.set(place.id, place)
      if (place.id === until) return place
    }
    return undefined
  }

  return {
    async find(id) {
      const place = (await believed(id)) ?? (await lookThrough(id))
      if (place) return ok(place)
      const message = `There is no session ${id} in ${root}. It may have been removed; look at the list again.`
      return fail(toolError('unknown_session', message))
    },
    async taken(id) {
      walk ??= lookThrough().then(() => undefined)
      await walk
      return believed(id)
    },
    note(place) {
      if (place.kind !== 'main') hints.set(place.id, place)
    },
  }
}
