import type { SessionId } from '../../shared/session-id.ts'
import type { SeenSession } from './tree-watcher-index.ts'

interface Change {
  readonly added: readonly SeenSession[]
  readonly changed: readonly SeenSession[]
  readonly removed: readonly SessionId[]
}

/** Gathers what was found until it is told, as what it comes to for each session: added and removed again is nothing. */
export function createBatch() {
  const added = new Map<SessionId, SeenSession>()
  const changed = new Map<SessionId, SeenSession>()
  const removed = new Set<SessionId>()
  return {
    appeared: (seen: SeenSession): void => {
      const { id } = seen.place
      // Told already: it stands at a second place, or it was away for less than a batch.
      if (removed.delete(id) || changed.has(id)) changed.set(id, seen)
      else added.set(id, seen)
    },
    changed: (seen: SeenSession): void => {
      const { id } = seen.place
      if (added.has(id)) added.set(id, seen)
      else changed.set(id, seen)
    },
    disappeared: (id: SessionId): void => {
      changed.delete(id)
      if (!added.delete(id)) removed.add(id)
    },
    size: (): number => added.size + changed.size + removed.size,
    /** What was gathered, and begins anew; undefined if there was nothing. */
    take: (): Change | undefined => {
      if (added.size + changed.size + removed.size === 0) return undefined
      const change = { added: [...added.values()], changed: [...changed.values()], removed: [...removed] }
      added.clear()
      changed.clear()
      removed.clear()
      return change
    },
  }
}
