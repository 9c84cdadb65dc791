import { ok, type Result } from '../../shared/result.ts'
import { QUERY, type RunGit } from './git.ts'

/** What a checkout of a commit would hold, as far as it matters for a new worktree. */
export interface CommitFacts {
  /** The longest path of any file in it, in bytes. */
  readonly longestPath: number
  /** The folders of submodules, which stay empty in a new worktree (field fault F17). */
  readonly submodules: readonly string[]
}

/** The mode of a submodule's folder in a tree. */
const SUBMODULE = '160000 '

const TAB = 9

/**
 * Reads {@link CommitFacts}; the listing is looked through while it streams, since a repository may hold a million
 * files. A commit never changes, so the caller may keep the answer. Fails as {@link RunGit} does.
 */
export async function readCommitFacts(
  git: RunGit,
  commonDirectory: string,
  commit: string,
): Promise<Result<CommitFacts>> {
  let longestPath = 0
  const submodules: string[] = []
  let rest: Buffer = Buffer.alloc(0)
  // Each record is `mode type id`, a tab, the path, a NUL.
  const onStdout = (chunk: Buffer): void => {
    const text = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    let from = 0
    for (let end = text.indexOf(0); end !== -1; end = text.indexOf(0, from)) {
      const path = text.indexOf(TAB, from) + 1
      longestPath = Math.max(longestPath, end - path)
      if (text.toString('latin1', from, from + SUBMODULE.length) === SUBMODULE) {
        submodules.push(text.toString('utf8', path, end))
      }
      from = end + 1
    }
    rest = text.subarray(from)
  }
  const listed = await git([`--git-dir=${commonDirectory}`, 'ls-tree', '-r', '-z', '--full-tree', commit], {
    cwd: commonDirectory,
    env: QUERY,
    onStdout,
  })
  return listed.ok ? ok({ longestPath, submodules }) : listed
}

/** Names submodule folders that stay empty, and how to fill them. */
export function emptySubmodulesNote(submodules: readonly string[]): string {
  const shown = submodules.slice(0, 3).join(', ') + (submodules.length > 3 ? ` and ${submodules.length - 3} more` : '')
  const folders = submodules.length === 1 ? 'The submodule folder' : 'The submodule folders'
  return `${folders} ${shown} will be empty in the new worktree; fill with: git submodule update --init`
}
