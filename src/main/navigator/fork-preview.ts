import type { ForkPreview } from '../../shared/navigator-view.ts'
import { fail, ok, type Result } from '../../shared/result.ts'
import type { SessionId } from '../../shared/session-id.ts'
import { toolError } from '../../shared/tool-error.ts'
import type { SessionFacts, SessionTree } from '../session-tree/session-tree.ts'
import { folderProblem } from '../worktrees/folder-state.ts'
import type { WorktreeProvider } from '../worktrees/worktree-provider.ts'

export interface PreviewRequest {
  readonly worktree: boolean
  readonly prompt: string
  readonly title?: string | undefined
  /** The id the fork would have: the worktree's short id is made from it. */
  readonly forkId: SessionId
}

/**
 * What a fork would inherit and where it would work, before anything is made. Writes nothing. Fails as the creation
 * itself would: `fork_needs_main`, `cwd_missing`, `cwd_not_absolute`, as `SessionTree.boundary` and as
 * `WorktreeProvider.plan` do, so that the dialog can say it before the person has typed.
 */
export async function previewFork(
  { place, header, problem, file, openTurn }: SessionFacts,
  request: PreviewRequest,
  tree: Pick<SessionTree, 'boundary'>,
  worktrees: Pick<WorktreeProvider, 'plan'>,
): Promise<Result<ForkPreview>> {
  if (place.kind !== 'main') {
    const message = `A ${place.kind} cannot be forked, only a main session can.`
    return fail(toolError('fork_needs_main', message, { field: 'session_id' }))
  }
  if (problem || !header) {
    return fail(problem ?? toolError('log_damaged', `${place.logPath} has no header.`, { path: place.logPath }))
  }
  const { cwd } = header
  if (cwd === undefined) {
    const message = 'This session records no folder, so a fork would have none to work in.'
    return fail(toolError('invalid_request', message, { field: 'cwd' }))
  }
  const folder = await folderProblem(cwd)
  if (folder) return fail(folder)
  const boundary = await tree.boundary(place.id)
  if (!boundary.ok) return boundary
  const { seedLength, turn, step, to } = boundary.value
  const common = {
    events: seedLength,
    ...(turn === undefined ? {} : { turn }),
    ...(step === undefined ? {} : { step }),
    leavesOutOpenStep: openTurn && file !== undefined && file.size > to,
  }
  if (!request.worktree) return ok({ ...common, cwd })
  const name = nameFor(request)
  const plan = await worktrees.plan({ cwd, name, sessionId: request.forkId })
  if (!plan.ok) return plan
  const { record, startsAt, uncommitted, notes } = plan.value
  const { path, branch } = record
  const worktree = { path, branch, commit: startsAt.commit, startsAt: startsAt.label, uncommitted, notes }
  return ok({ ...common, cwd: path, worktree })
}

/** As the creation names it: the title, else the prompt. */
function nameFor({ title, prompt }: PreviewRequest): string {
  return title !== undefined && title.trim() !== '' ? title : prompt
}
