import { execFile } from 'node:child_process'
import { cp, mkdir } from 'node:fs/promises'
import { promisify } from 'node:util'
import { fail, ok, type Result } from '../../../shared/result.ts'
import { toolError } from '../../../shared/tool-error.ts'

const run = promisify(execFile)

export interface SampleCommit {
  readonly message: string
  /** A folder whose files are laid over the working tree. */
  readonly files: string
  /** Milliseconds since the epoch. */
  readonly time: number
}

const TIME_LIMIT = 20_000
const AUTHOR = 'Robin Ashe'
const MAIL = 'robin@example.com'

/** Makes a repository with these commits on branch `trunk`. Fails with `git_not_found` or `git_refused`. */
export async function makeRepository(folder: string, commits: readonly SampleCommit[]): Promise<Result<null>> {
  await mkdir(folder, { recursive: true })
  // `init -b` needs git 2.28.
  for (const step of [
    ['init', '-q'],
    ['symbolic-ref', 'HEAD', 'refs/heads/trunk'],
  ]) {
    const done = await git(folder, step)
    if (!done.ok) return done
  }
  return commitAll(folder, commits)
}

/** Commits onto what is checked out in the folder. */
export async function commitAll(folder: string, commits: readonly SampleCommit[]): Promise<Result<null>> {
  for (const commit of commits) {
    await cp(commit.files, folder, { recursive: true })
    for (const step of [
      ['add', '--all'],
      ['commit', '-q', '-m', commit.message],
    ]) {
      const done = await git(folder, step, commit.time)
      if (!done.ok) return done
    }
  }
  return ok(null)
}

/** Adds a worktree on a new branch from what the repository has checked out. @returns that commit. */
export async function addWorktree(repository: string, path: string, branch: string): Promise<Result<string>> {
  const base = await git(repository, ['rev-parse', 'HEAD'])
  if (!base.ok) return base
  const added = await git(repository, ['worktree', 'add', '-q', '-b', branch, '--', path, base.value])
  return added.ok ? base : added
}

/** Removes a worktree as a person would: its branch stays. */
export async function removeWorktree(repository: string, path: string): Promise<Result<string>> {
  return git(repository, ['worktree', 'remove', '--force', '--', path])
}

/** @returns what git printed, trimmed. */
async function git(folder: string, args: readonly string[], time?: number): Promise<Result<string>> {
  const date = time === undefined ? undefined : `${Math.floor(time / 1000)} +0000`
  const env = {
    ...withoutGit(process.env),
    LC_ALL: 'C',
    // The sample looks the same whatever the person's own settings are, signing and hooks included.
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: process.platform === 'win32' ? 'NUL' : '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: AUTHOR,
    GIT_AUTHOR_EMAIL: MAIL,
    GIT_COMMITTER_NAME: AUTHOR,
    GIT_COMMITTER_EMAIL: MAIL,
    ...(date === undefined ? {} : { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }),
  }
  try {
    // A new repository has nothing to tidy up, and git would do so in the background.
    const { stdout } = await run('git', ['-c', 'gc.auto=0', '-c', 'maintenance.auto=false', ...args], {
      cwd: folder,
      env,
      timeout: TIME_LIMIT,
    })
    return ok(stdout.trim())
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return fail(
        toolError('git_not_found', 'The sample needs git, and there is none on PATH. Install git and try again.'),
      )
    }
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error)
    return fail(toolError('git_refused', `The sample's repository could not be made: ${said}`, { path: folder }))
  }
}

/** A GIT_DIR from a hook or an alias would point every call at the wrong repository. */
function withoutGit(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('GIT_')))
}
