import { lstat, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError, type ToolError } from '../../shared/tool-error.ts'
import { folderState, readGitLink } from './folder-state.ts'
import type { RunGit } from './git.ts'
import { removeOwnBranch } from './own-branch.ts'
import { realPathOfRest } from './repository.ts'
import { errorText } from './system-error.ts'
import { contentAtStake, type HookFiles } from './worktree-content.ts'
import { findEntry, removeEntry, removeIfEmpty, removeNewFolders, type WorktreeEntry } from './worktree-entry.ts'
import type { WorktreePlan } from './worktree-provider.ts'

/**
 * The rule of design §2.6: of what was made for a plan, removes the folder only if nothing in it would be lost, the
 * branch only if it is ours and still at its base, git's entry with the folder, and then the empty folders above.
 * What is not there is no failure, so it can be called again after a crash at any point.
 * @returns `worktree_failed` with what was kept and why, in words; or as {@link RunGit} fails
 */
export async function removeSafely(git: RunGit, plan: WorktreePlan, hookFiles?: HookFiles): Promise<Result<void>> {
  const { path, branch } = plan.record
  const folder = await folderAt(path)
  if ((await folderState(plan.gitDirectory)) !== 'there') return removeOrphan(plan, folder)
  const entry = await findEntry(plan.gitDirectory, path)
  const reason = await reasonToKeep(git, plan, entry, folder, hookFiles)
  if (!reason.ok) return reason
  if (reason.value !== undefined) return fail(keptError(plan, reason.value))
  try {
    if (entry) {
      await rm(path, { recursive: true, force: true, maxRetries: 3 })
      await removeEntry(entry)
    } else if (folder === 'empty') {
      await removeIfEmpty(path)
    }
  } catch (error) {
    return fail(keptError(plan, `it could not be removed: ${errorText(error)}`))
  }
  await removeNewFolders(path, plan.newFolder)
  const outcome = await removeOwnBranch(git, plan)
  if (!outcome.ok) return outcome
  // Where the worktree was gone before, a branch that went on is somebody's decision and needs no word.
  if ((outcome.value === 'moved' || outcome.value === 'checked_out') && entry) {
    const why = outcome.value === 'moved' ? 'it is not at its base any more' : 'another worktree has it checked out'
    return fail(
      toolError('worktree_failed', `The worktree ${path} was removed, but its branch ${branch} was kept: ${why}.`),
    )
  }
  return ok(undefined)
}

/** The repository itself was deleted, and branch and entry with it: nobody can tell what in the folder is whose. */
async function removeOrphan(plan: WorktreePlan, folder: Folder): Promise<Result<void>> {
  if (folder === 'filled')
    return fail(keptError(plan, `its repository ${plan.record.repository} is not there any more`))
  if (folder === 'empty') await removeIfEmpty(plan.record.path)
  await removeNewFolders(plan.record.path, plan.newFolder)
  return ok(undefined)
}

/**
 * Removes everything a creation that failed or was cancelled has made in this very call, changed by hooks or not: it
 * was never handed to anyone. The folder was made by that call and nobody else.
 * @returns what could not be removed, as a sentence; undefined if nothing is left
 */
export async function removeMade(git: RunGit, plan: WorktreePlan): Promise<string | undefined> {
  const { path } = plan.record
  const entry = await findEntry(plan.gitDirectory, path)
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 3 })
    if (entry) await removeEntry(entry)
  } catch (error) {
    return `${path} could not be removed: ${errorText(error)}.`
  }
  await removeNewFolders(path, plan.newFolder)
  const outcome = await removeOwnBranch(git, plan, 'remove')
  if (!outcome.ok) return `The branch ${plan.record.branch} could not be removed. ${outcome.error.message}`
  return undefined
}

type Folder = 'absent' | 'empty' | 'filled' | 'no_folder'

async function folderAt(path: string): Promise<Folder> {
  const seen = await lstat(path).catch(() => undefined)
  if (!seen) return 'absent'
  if (!seen.isDirectory()) return 'no_folder'
  return (await readdir(path)).length === 0 ? 'empty' : 'filled'
}

async function reasonToKeep(
  git: RunGit,
  plan: WorktreePlan,
  entry: WorktreeEntry | undefined,
  folder: Folder,
  hookFiles: HookFiles | undefined,
): Promise<Result<string | undefined>> {
  if (folder === 'no_folder') return ok('something that is no folder stands in its place')
  if (entry?.locked !== undefined && entry.locked !== 'initializing') {
    return ok(`it is locked${entry.locked === '' ? '' : ` (${entry.locked})`}`)
  }
  if (folder !== 'filled') return ok(undefined)
  if (!entry)
    return ok((await wasOurs(plan)) ? 'git has lost its record of it, so what is in it cannot be told' : undefined)
  return contentAtStake(git, plan, entry, hookFiles)
}

/** A folder that never was a worktree of this repository has come from somewhere else and is nobody's to undo. */
async function wasOurs(plan: WorktreePlan): Promise<boolean> {
  const link = await readGitLink(join(plan.record.path, '.git'))
  return link !== undefined && (await realPathOfRest(dirname(link))) === join(plan.gitDirectory, 'worktrees')
}

function keptError(plan: WorktreePlan, why: string): ToolError {
  const { path, branch } = plan.record
  return toolError(
    'worktree_failed',
    `The worktree ${path} and its branch ${branch} were kept: ${why}. Take out what you need, then remove it with: git worktree remove --force`,
    { path },
  )
}
