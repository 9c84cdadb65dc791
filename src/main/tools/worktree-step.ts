import { ok, type Result } from '../../shared/result.ts'
import type { WorktreeRecord } from '../../shared/session-event.ts'
import type { NewSession } from '../session-tree/session-tree.ts'
import { clearIntent, recordIntent } from '../worktrees/pending-intents.ts'
import type { WorktreePlan, WorktreeProvider } from '../worktrees/worktree-provider.ts'
import type { Rollback } from './rollback.ts'
import type { ToolOptions } from './tool-options.ts'

/** A worktree that waits for its session. */
export interface WaitingWorktree {
  readonly record: WorktreeRecord
  /** To be called once the session is published: from then on the worktree is the session's own. */
  published(): Promise<void>
}

/**
 * Makes the worktree of a fork (spec §3.3). The intent is on disk before git is called and stays until the session is
 * published, so a crash at any point leaves either both or neither (design §2.6).
 * @param rollback gets the way back, before anything is made
 */
export async function addWorktree(
  { worktrees, pendingFolder }: { readonly worktrees: WorktreeProvider; readonly pendingFolder: string },
  session: NewSession,
  options: ToolOptions,
  rollback: Rollback,
): Promise<Result<WaitingWorktree>> {
  const name = session.title ?? session.prompt
  const planned = await worktrees.plan({ cwd: session.cwd, name, sessionId: session.id })
  if (!planned.ok) return planned
  const plan = planned.value
  const intent = await recordIntent(pendingFolder, plan)
  rollback.did(() => clearIntent(pendingFolder, session.id))
  if (!intent.ok) return intent
  rollback.did(() => worktrees.undo(plan))
  const added = await worktrees.add(plan, options)
  if (!added.ok) return added
  const warn = options.onWarning ?? options.onProgress
  for (const sentence of [...whatStaysBehind(plan), ...added.value.warnings]) warn?.(sentence)
  return ok({
    record: added.value.record,
    async published() {
      // Where it cannot be cleared, the next owner of the home does it: the session is there.
      await clearIntent(pendingFolder, session.id)
    },
  })
}

/** Uncommitted work does not come along, which the caller must know (field fault F18). */
function whatStaysBehind({ uncommitted, notes }: WorktreePlan): readonly string[] {
  if (uncommitted === 0) return notes
  const files = uncommitted === 1 ? '1 file' : `${uncommitted} files`
  return [`Uncommitted changes in ${files} stay where they are and are not in the new worktree.`, ...notes]
}
