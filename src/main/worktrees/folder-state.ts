import { readFile, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { assertNever } from '../../shared/result.ts'
import { toolError, type ToolError } from '../../shared/tool-error.ts'
import type { WorktreeRecord } from '../../shared/session-event.ts'

/** `foreign`: no absolute path on this host, such as `C:\…` on Linux, `~/x` or `../x` (field fault F10). */
export type FolderState = 'there' | 'missing' | 'not_a_folder' | 'foreign'

/** Looks at a recorded folder exactly as written: nothing is joined, expanded or created. Never fails. */
export async function folderState(path: string): Promise<FolderState> {
  if (!isAbsolute(path) || path.includes('\0')) return 'foreign'
  try {
    return (await stat(path)).isDirectory() ? 'there' : 'not_a_folder'
  } catch {
    return 'missing' // Gone, or behind a folder we may not enter: no session can run there.
  }
}

/** Why nothing can be started in a folder, in words; undefined if it can: `cwd_not_absolute` or `cwd_missing`. */
export async function folderProblem(path: string): Promise<ToolError | undefined> {
  const about = { field: 'cwd', path }
  const state = await folderState(path)
  switch (state) {
    case 'there':
      return undefined
    case 'foreign':
      return toolError(
        'cwd_not_absolute',
        `${path} is not an absolute path on this computer. Choose a folder that is here.`,
        about,
      )
    case 'not_a_folder':
      return toolError('cwd_missing', `${path} is a file, not a folder. Choose a folder.`, about)
    case 'missing':
      return toolError(
        'cwd_missing',
        `The folder ${path} is not there any more. Bring it back, or choose another folder.`,
        about,
      )
    default:
      return assertNever(state)
  }
}

/**
 * Whether a recorded worktree can still be worked in: its folder, its link to the repository, and the repository's
 * entry for it. A few stats and one small read, no git process, for the window's warning mark (field fault F11).
 */
export async function worktreeState(record: Pick<WorktreeRecord, 'path'>): Promise<'there' | 'missing'> {
  if ((await folderState(record.path)) !== 'there') return 'missing'
  const entry = await readGitLink(join(record.path, '.git'))
  if (entry === undefined) return 'missing'
  // The entry's HEAD, since an emptied entry folder is no entry.
  return stat(join(entry, 'HEAD')).then(
    () => 'there' as const,
    () => 'missing' as const,
  )
}

/** The folder a `.git` file points to, absolute; undefined if it is no such file. Never fails. */
export async function readGitLink(path: string): Promise<string | undefined> {
  try {
    // One line by definition; a limit keeps a stray giant of that name from being read.
    if ((await stat(path)).size > 65_536) return undefined
    const target = /^gitdir: (.+?)[\r\n]*$/s.exec(await readFile(path, 'utf8'))?.[1]
    return target === undefined ? undefined : resolve(dirname(path), target)
  } catch {
    return undefined // A folder, or nothing: not a link.
  }
}
