import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { worktreeState } from '../folder-state.ts'
import { createGit } from '../git.ts'
import { createGitWorktrees } from '../git-worktrees.ts'
import type { WorktreeTemplates } from '../worktree-policy.ts'
import type { AddedWorktree, WorktreePlan, WorktreeProvider } from '../worktree-provider.ts'
import { git, temporaryFolder, TEST_ENVIRONMENT } from './test-git.ts'

/** A session id whose end is easy to see. */
export const SESSION = 'session-0199f0a0-0000-7000-8000-0000deadbeef'

/** A provider over a new home, with nobody's settings. */
export async function worktreesFor(
  templates?: WorktreeTemplates,
): Promise<{ home: string; worktrees: WorktreeProvider }> {
  const home = join(await temporaryFolder(), 'home')
  await mkdir(home)
  const worktrees = createGitWorktrees({
    home,
    git: createGit(TEST_ENVIRONMENT),
    ...(templates ? { templates: () => templates } : {}),
  })
  return { home, worktrees }
}

/** What `plan` answers; throws if it fails. */
export async function planned(worktrees: WorktreeProvider, cwd: string, name = 'harvest'): Promise<WorktreePlan> {
  const plan = await worktrees.plan({ cwd, name, sessionId: SESSION })
  if (!plan.ok) throw new Error(plan.error.message)
  return plan.value
}

/** What `add` answers; throws if it fails. */
export async function added(worktrees: WorktreeProvider, plan: WorktreePlan): Promise<AddedWorktree> {
  const made = await worktrees.add(plan)
  if (!made.ok) throw new Error(made.error.message)
  return made.value
}

/** Git itself confirms what was made. */
export async function expectWorktree({ record }: AddedWorktree): Promise<void> {
  expect(await git(record.path, 'rev-parse', '--show-toplevel', 'HEAD', '--symbolic-full-name', 'HEAD')).toBe(
    `${record.path}\n${record.base}\nrefs/heads/${record.branch}\n`,
  )
  expect(await git(record.path, 'worktree', 'list', '--porcelain')).toContain(`worktree ${record.path}\n`)
  expect(await worktreeState(record)).toBe('there')
}
