import { fail, ok, type Result } from '../../shared/result.ts'
import type { SessionId } from '../../shared/session-id.ts'
import { toolError } from '../../shared/tool-error.ts'
import type { SessionPlace } from '../session-tree/session-tree.ts'
import { childPlaces } from '../session-tree/tree-reading.ts'

/** How far a tree may grow by itself: an agent that creates agents without end must be stopped by something. */
export interface CreationLimits {
  /** The most generations below a main. Every one makes the log's path about 56 bytes longer. */
  readonly deepest: number
  /** The most children one session may have, those that have ended included. */
  readonly mostChildren: number
}

export const CREATION_LIMITS: CreationLimits = { deepest: 32, mostChildren: 1000 }

/** Watches the limits over all creations of a home. */
export interface CreationGuard {
  /**
   * Keeps a place for one more child below `parent` until the child is published or given up.
   * Fails with `too_deep` or `too_many_children`.
   * @returns gives the place back; to be called once, however the creation ends.
   */
  admit(parent: SessionPlace): Promise<Result<() => void>>
}

export function createCreationGuard({ deepest, mostChildren }: CreationLimits): CreationGuard {
  /** Children on their way: they are not on disk yet, but will be. */
  const coming = new Map<SessionId, number>()

  function count(id: SessionId, change: number): number {
    const now = (coming.get(id) ?? 0) + change
    if (now === 0) coming.delete(id)
    else coming.set(id, now)
    return now
  }

  return {
    async admit(parent) {
      if (parent.ancestors.length >= deepest) {
        const message = `${parent.id} is ${deepest} generations below its main session, and nothing can be created deeper. Do the work in this session, or send it to one above.`
        return fail(toolError('too_deep', message))
      }
      const expected = count(parent.id, 1)
      const there = (await childPlaces(parent)).length
      if (there + expected <= mostChildren) return ok(() => void count(parent.id, -1))
      count(parent.id, -1)
      const message = `${parent.id} has ${there} children, and ${mostChildren} are the most. Send the work to one of them, or create it below one of them.`
      return fail(toolError('too_many_children', message))
    },
  }
}
