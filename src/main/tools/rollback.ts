import type { Result } from '../../shared/result.ts'
import type { ToolError } from '../../shared/tool-error.ts'

type Undo = () => Promise<Result<void>>

/** What a creation has done so far, as the ways to undo it (design §2.6). */
export interface Rollback {
  /** Registers how to undo the step that was just done. */
  did(undo: Undo): void
  /**
   * Undoes every step, the last first, and returns the error to report: `cause`, with a sentence more if something was
   * left behind. It stops at the first undo that fails, since earlier steps are what the later ones stand on: the intent
   * of a worktree that could not be removed must stay, so that the next owner of the home finds it.
   */
  unwind(cause: ToolError): Promise<ToolError>
}

/** An empty rollback. One creation, one rollback. */
export function createRollback(): Rollback {
  const undos: Undo[] = []
  return {
    did(undo) {
      undos.push(undo)
    },
    async unwind(cause) {
      for (let undo = undos.pop(); undo; undo = undos.pop()) {
        const undone = await undo()
        if (!undone.ok) {
          const message = `${cause.message} What had been made could not be removed: ${undone.error.message} It is tried again when Treeline next starts.`
          return { ...cause, message }
        }
      }
      return cause
    },
  }
}
