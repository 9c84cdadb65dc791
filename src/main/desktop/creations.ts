import { fail, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import type { SessionCreateResult } from '../../shared/tools.ts'

/** The creations the window has asked for and that are not done yet. */
export interface Creations {
  /**
   * Runs a creation. While one runs for the same parent (or for none) another is refused with `already_running`: one
   * gesture, one child (field fault F14).
   * @param parent the session acted for; undefined for a new main
   * @param call the window's name for this creation, by which it can be cancelled
   */
  run(
    parent: string | undefined,
    call: string | undefined,
    create: (signal: AbortSignal) => Promise<Result<SessionCreateResult>>,
  ): Promise<Result<SessionCreateResult>>
  /** Cancels a creation by its call; nothing happens where none of that name runs. */
  cancel(call: string): void
  runsFor(parent: string): boolean
}

interface Running {
  readonly parent: string | undefined
  readonly call: string | undefined
  readonly abort: AbortController
}

/** No creation runs yet. */
export function createCreations(): Creations {
  const running = new Set<Running>()
  return {
    async run(parent, call, create) {
      const others = [...running]
      if (others.some((other) => other.parent === parent || (call !== undefined && other.call === call))) {
        const what = parent === undefined ? 'A session is being created' : 'A child of this session is being created'
        return fail(toolError('already_running', `${what} already. Wait until it is there, or cancel it.`))
      }
      const mine: Running = { parent, call, abort: new AbortController() }
      running.add(mine)
      try {
        return await create(mine.abort.signal)
      } finally {
        running.delete(mine)
      }
    },
    cancel(call) {
      for (const creation of running) if (creation.call === call) creation.abort.abort()
    },
    runsFor: (parent) => [...running].some((creation) => creation.parent === parent),
  }
}
