import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, isAbsolute, join } from 'node:path'

/**
 * Where git usually is. An app started from a desktop icon gets the session's PATH, not the shell's, so PATH alone
 * is not enough (field fault F19).
 */
export const USUAL_GIT_FOLDERS: readonly string[] =
  process.platform === 'win32'
    ? [
        join(process.env['ProgramFiles'] ?? 'C:\\Program Files', 'Git', 'cmd'),
        join(process.env['ProgramFiles(x86)'] ?? 'C:\\Program Files (x86)', 'Git', 'cmd'),
        join(process.env['LOCALAPPDATA'] ?? homedir(), 'Programs', 'Git', 'cmd'),
      ]
    : [
        '/usr/local/bin',
        '/opt/homebrew/bin',
        '/usr/bin',
        '/bin',
        join(homedir(), '.local', 'bin'),
        '/home/linuxbrew/.linuxbrew/bin',
        '/opt/local/bin',
        '/run/current-system/sw/bin',
        '/snap/bin',
      ]

/**
 * The folders git and its hooks are looked for in: `PATH` first, then the usual ones it lacks. Hooks need them too:
 * git-lfs or node beside a git that only the shell's PATH knows.
 */
export function searchFolders(environment: NodeJS.ProcessEnv, usual: readonly string[]): readonly string[] {
  // A relative entry would mean whatever folder a session happens to stand in.
  const named = (environment['PATH'] ?? environment['Path'] ?? '').split(delimiter).filter((entry) => isAbsolute(entry))
  return [...new Set([...named, ...usual])]
}

/** The absolute path of the first executable `git` in `folders`, or undefined. */
export async function findGit(folders: readonly string[]): Promise<string | undefined> {
  const name = process.platform === 'win32' ? 'git.exe' : 'git'
  for (const folder of folders) {
    const candidate = join(folder, name)
    if (await isExecutableFile(candidate)) return candidate
  }
  return undefined
}

/** True for a regular file that this user may execute. Never fails. */
export async function isExecutableFile(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false // Not there, or not ours to run: either way it is no git for us.
  }
}
