import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { findGit, searchFolders, USUAL_GIT_FOLDERS } from '../worktrees/find-git.ts'
import { readGitLink } from '../worktrees/folder-state.ts'
import { findRepository } from '../worktrees/repository.ts'

/** What a menu needs to know of the checkout a folder is in. */
export interface Checkout {
  /** Short name of the branch that is checked out; absent if none is. */
  readonly branch?: string
  /** Why no worktree can be made from here, as a few words; absent if one can, as far as plain looking tells. */
  readonly noWorktree?: string
}

/**
 * Looks at the checkout a folder is in by reading a few small files, no git process: it is asked each time a menu opens.
 * What only git can tell (a repository of another owner, say) is said by the dialog that follows. Never fails.
 */
export async function lookAtCheckout(cwd: string, environment: NodeJS.ProcessEnv): Promise<Checkout> {
  const place = await findRepository(cwd)
  if (!place) return { noWorktree: 'not a Git repository' }
  const inside = place.worktree === undefined ? place.commonDirectory : join(place.worktree, '.git')
  const gitDirectory = (await readGitLink(inside)) ?? inside
  const head = await headOf(gitDirectory, place.commonDirectory)
  const branch = head.branch === undefined ? {} : { branch: head.branch }
  if (head.unborn) return { ...branch, noWorktree: 'no commit yet' }
  const git = await findGit(searchFolders(environment, USUAL_GIT_FOLDERS))
  return git === undefined ? { ...branch, noWorktree: 'git was not found' } : branch
}

const BRANCH = /^ref: refs\/heads\/(.+?)\s*$/

async function headOf(gitDirectory: string, common: string): Promise<{ branch?: string; unborn: boolean }> {
  const head = await readFile(join(gitDirectory, 'HEAD'), 'utf8').catch(() => '')
  const branch = BRANCH.exec(head)?.[1]
  // Detached; or another store of references than files, whose HEAD names this one: only git can read it.
  if (branch === undefined || branch === '.invalid') return { unborn: false }
  const loose = await stat(join(common, 'refs', 'heads', branch)).then(
    (found) => found.isFile(),
    () => false,
  )
  if (loose) return { branch, unborn: false }
  const packed = await readFile(join(common, 'packed-refs'), 'utf8').catch(() => '')
  return { branch, unborn: !packed.split('\n').some((line) => line.endsWith(` refs/heads/${branch}`)) }
}
