import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import { QUERY, type RunGit } from './git.ts'
import { explainGitFailure, gitWords } from './git-failure.ts'
import { listWorktrees } from './worktree-list.ts'
import { markFor } from './surviving-git.ts'
import type { WorktreePlan } from './worktree-provider.ts'

/** The reason in the branch's reflog. By it a branch is known as ours, even after a crash and by another process. */
function reflogReason(sessionId: string): string {
  return `treeline: made for ${sessionId}`
}

/**
 * Makes the branch, only if it does not exist: afterwards it is certain whose it is, which `worktree add -b` would not
 * tell when it fails. Fails with `branch_taken`, `worktree_failed`, and as {@link RunGit} does.
 */
export async function makeBranch(git: RunGit, plan: WorktreePlan, signal?: AbortSignal): Promise<Result<void>> {
  const { branch, base } = plan.record
  const made = await git(
    // The empty old value: the branch must not exist.
    [
      `--git-dir=${plan.gitDirectory}`,
      'update-ref',
      '--create-reflog',
      '-m',
      reflogReason(plan.sessionId),
      `refs/heads/${branch}`,
      base,
      '',
    ],
    {
      cwd: plan.runsIn ?? plan.gitDirectory,
      // A reference-transaction hook may be slow; it can be cancelled.
      timeoutMs: 'none',
      env: markFor(plan.record.path),
      expectedExit: [0, 1, 128],
      ...(signal ? { signal } : {}),
    },
  )
  if (!made.ok) return made
  if (made.value.exitCode === 0) return ok(undefined)
  const words = gitWords(made.value)
  return fail(
    /already exists|exists; cannot create/.test(made.value.stderr)
      ? toolError(
          'branch_taken',
          `The branch ${branch} cannot be made: one of that name has appeared. Git says: ${words}`,
        )
      : toolError('worktree_failed', `The branch ${branch} could not be made. Git says: ${words}`),
  )
}

/** `absent`: gone, or never ours. `moved`: ours, with commits or moves of somebody's own. */
export type BranchOutcome = 'absent' | 'removed' | 'moved' | 'checked_out'

/**
 * Removes the branch if we made it, nobody has moved it since and no worktree has it checked out; git compares and
 * deletes in one step. Fails as {@link RunGit} does.
 * @param moved `remove` only right after a failed creation, when it was never handed out and only a hook moved it
 */
export async function removeOwnBranch(
  git: RunGit,
  plan: WorktreePlan,
  moved: 'keep' | 'remove' = 'keep',
): Promise<Result<BranchOutcome>> {
  const ref = `refs/heads/${plan.record.branch}`
  const directory = `--git-dir=${plan.gitDirectory}`
  const { base, branch } = plan.record
  const options = { cwd: plan.gitDirectory, env: QUERY }
  // Exits with 128 where there is no such branch.
  const reflog = await git([directory, 'reflog', 'show', '--format=%H %gs', ref, '--'], {
    ...options,
    expectedExit: [0, 128],
  })
  if (!reflog.ok) return reflog
  const absent = reflog.value.exitCode !== 0
  if (absent && !/bad revision|unknown revision/.test(reflog.value.stderr)) {
    return fail(explainGitFailure(reflog.value, plan.gitDirectory))
  }
  const entries = absent ? [] : reflog.value.stdout.split('\n').filter((line) => line !== '')
  if (entries.at(-1) !== `${base} ${reflogReason(plan.sessionId)}`) return ok('absent')
  // One entry: it was made and never touched. A branch moved away and back has been somebody's.
  if (moved === 'keep' && entries.length > 1) return ok('moved')
  const worktrees = await listWorktrees(git, plan.gitDirectory)
  if (!worktrees.ok) return worktrees
  if (worktrees.value.some((worktree) => worktree.branch === branch)) return ok('checked_out')
  const removed = await git([directory, 'update-ref', '-d', ref, ...(moved === 'keep' ? [base] : [])], {
    cwd: plan.gitDirectory,
    env: markFor(plan.record.path),
    expectedExit: [0, 1, 128],
  })
  if (!removed.ok) return removed
  if (removed.value.exitCode === 0) return ok('removed')
  return /but expected/.test(removed.value.stderr)
    ? ok('moved')
    : fail(explainGitFailure(removed.value, plan.gitDirectory))
}

/**
 * Removes the lock that a git killed while it made or checked out our branch has left: nobody else works on a branch of
 * that name, and those who did for us have been ended.
 */
export async function removeBranchLock(plan: WorktreePlan): Promise<void> {
  await rm(join(plan.gitDirectory, 'refs', 'heads', `${plan.record.branch}.lock`), { force: true })
}
