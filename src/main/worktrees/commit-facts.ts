import { ok, type Result } from '../../shared/result.ts'
import { QUERY, type RunGit } from './git.ts'

/** What a checkout of a commit would hold, as far as it matters for a new worktree. */
export interface CommitFacts {
  /** The longest path of any file in it, in bytes. */
  readonly longestPath: number
  /** The folders of submodules, which stay empty in a new worktree (field fault F17). */
  readonly submodules: readonly string[]
}

/**
 * Reads {@link CommitFacts}; the listing is counted while it streams, since a repository may hold a million files.
 * A commit never changes, so the caller may keep the answer. Fails as {@link RunGit} does.
 */
export async function readCommitFacts(
  git: RunGit,
  commonDirectory: string,
  commit: string,
): Promise<Result<CommitFacts>> {
  const options = { cwd: commonDirectory, env: QUERY }
  let longestPath = 0
  let current = 0
  const onStdout = (chunk: Buffer): void => {
    let from = 0
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, from)) {
      longestPath = Math.max(longestPath, current + end - from)
      current = 0
      from = end + 1
    }
    current += chunk.length - from
  }
  const directory = `--git-dir=${commonDirectory}`
  const [listing, modules] = await Promise.all([
    git([directory, 'ls-tree', '-r', '-z', '--name-only', '--full-tree', commit], { ...options, onStdout }),
    // Exits with 1 where no such setting is there, with 128 where the commit has no such file.
    git([directory, 'config', '-z', '--blob', `${commit}:.gitmodules`, '--get-regexp', '^submodule\\..*\\.path$'], {
      ...options,
      expectedExit: [0, 1, 128],
    }),
  ])
  if (!listing.ok) return listing
  if (!modules.ok) return modules
  const submodules =
    modules.value.exitCode === 0 ? modules.value.stdout.split('\0').filter((entry) => entry !== '') : []
  // Each entry is `key`, a line break, `value`.
  return ok({ longestPath, submodules: submodules.map((entry) => entry.slice(entry.indexOf('\n') + 1)) })
}

/** Names submodule folders that stay empty, and how to fill them. */
export function emptySubmodulesNote(submodules: readonly string[]): string {
  const shown = submodules.slice(0, 3).join(', ') + (submodules.length > 3 ? ` and ${submodules.length - 3} more` : '')
  const folders = submodules.length === 1 ? 'The submodule folder' : 'The submodule folders'
  return `${folders} ${shown} will be empty in the new worktree; fill with: git submodule update --init`
}
