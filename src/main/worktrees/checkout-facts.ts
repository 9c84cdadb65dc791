import { join, resolve } from 'node:path'
import { stat } from 'node:fs/promises'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import { QUERY, type RunGit } from './git.ts'
import { explainGitFailure } from './git-failure.ts'
import { realPathOfRest } from './repository.ts'

/** What is checked out in a folder: where a worktree made from there starts (field fault F18). */
export interface CheckoutFacts {
  readonly commonDirectory: string
  /** Full commit id. */
  readonly commit: string
  /** Short branch name, or `detached`. */
  readonly label: string
  /** Files with uncommitted changes, new ones included; or why they could not be counted, which hinders nothing. */
  readonly uncommitted: Result<number>
  /** `rebase`, `merge` … if one is under way. */
  readonly underWay?: string
}

/**
 * Asks git about the checkout that a folder is in; writes nothing. Fails with `not_a_repository`, `no_commits`,
 * `git_refused` (another owner, in git's own words) and as {@link RunGit} does.
 */
export async function readCheckout(git: RunGit, cwd: string): Promise<Result<CheckoutFacts>> {
  const options = { cwd, env: QUERY }
  // One process for all of it. Each path stands between lines that are known, so a line break inside it does no harm.
  const questions = ['--is-inside-work-tree', '--git-common-dir', '--is-inside-work-tree', '--absolute-git-dir']
  const asked = await git(['rev-parse', ...questions, 'HEAD^{commit}', '--symbolic-full-name', 'HEAD'], {
    ...options,
    expectedExit: [0, 128],
  })
  if (!asked.ok) return asked
  const { stdout, exitCode } = asked.value
  const place = /^(true|false)\n([\s\S]*?)\n\1\n([\s\S]*)$/.exec(stdout)
  if (!place) return fail(explainGitFailure(asked.value, cwd))
  if (exitCode !== 0) return noCommits(git, cwd)
  const [, inside, common = '', rest = ''] = place
  const [, gitDirectory = '', commit = '', ref = ''] = /^([\s\S]*)\n([0-9a-f]+)\n(.+)\n$/.exec(rest) ?? []
  const uncommitted = inside === 'true' ? await readStatus(git, cwd) : ok([])
  const underWay = await operationUnderWay(gitDirectory)
  return ok({
    commonDirectory: await realPathOfRest(resolve(cwd, common)),
    commit,
    label: ref === 'HEAD' ? 'detached' : ref.replace(/^refs\/heads\//, ''),
    uncommitted: uncommitted.ok ? ok(uncommitted.value.length) : uncommitted,
    ...(underWay === undefined ? {} : { underWay }),
  })
}

async function noCommits(git: RunGit, cwd: string): Promise<Result<never>> {
  const branch = await git(['symbolic-ref', '--quiet', '--short', 'HEAD'], { cwd, env: QUERY, expectedExit: [0, 1] })
  if (!branch.ok) return branch
  const where = branch.value.stdout.trim() || 'HEAD'
  return fail(
    toolError(
      'no_commits',
      `There is no commit yet on ${where} in ${cwd}, so there is nothing a worktree could start from. Commit first, or fork in the same folder.`,
      { path: cwd },
    ),
  )
}

/** One file as `git status --porcelain` tells it: two letters, and the path from the worktree's root. */
export interface StatusEntry {
  readonly state: string
  readonly path: string
}

/**
 * What differs from the commit in a worktree, new files one by one. The user's own settings for status do not count,
 * nor is a file system monitor started for it. Fails as {@link RunGit} does.
 * @param gitOptions options before the subcommand, such as `--git-dir=…`
 */
export async function readStatus(
  git: RunGit,
  cwd: string,
  gitOptions: readonly string[] = [],
): Promise<Result<readonly StatusEntry[]>> {
  const quiet = ['-c', 'core.fsmonitor=false', '-c', 'status.showUntrackedFiles=all']
  const status = await git([...gitOptions, ...quiet, 'status', '--porcelain=v1', '-z', '--untracked-files=all'], {
    cwd,
    env: QUERY,
  })
  return status.ok ? ok(parseStatus(status.value.stdout)) : status
}

function parseStatus(text: string): readonly StatusEntry[] {
  const entries: StatusEntry[] = []
  const fields = text.split('\0')
  for (let index = 0; index < fields.length; index += 1) {
    const field = fields[index] ?? ''
    if (field === '') continue
    entries.push({ state: field.slice(0, 2), path: field.slice(3) })
    // A rename or copy is one change told in two fields: its old name follows.
    if (/[RC]/.test(field.slice(0, 2))) index += 1
  }
  return entries
}

const OPERATIONS: readonly (readonly [file: string, name: string])[] = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
]

async function operationUnderWay(gitDirectory: string): Promise<string | undefined> {
  for (const [file, name] of OPERATIONS) {
    const there = await stat(join(gitDirectory, file)).catch(() => undefined)
    if (there) return name
  }
  return undefined
}
