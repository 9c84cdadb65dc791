import { readFile, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { readGitLink } from './folder-state.ts'

/** The repository a folder belongs to, as its files tell it. All paths are absolute and without symbolic links. */
export interface RepositoryPlace {
  /**
   * What sessions are grouped by: the folder of the main worktree; for a bare repository the bare folder, or the folder
   * around it whose `.git` file points to it. The same from every worktree, subfolder and the git directory itself.
   */
  readonly repository: string
  /** A short name for people. */
  readonly name: string
  /** What all worktrees share. */
  readonly commonDirectory: string
  /** The root of the worktree the folder is in; absent in a bare repository and in a git directory. */
  readonly worktree?: string
}

/**
 * Finds the repository of a folder by looking upwards for `.git` as git does, by plain reading: no git process, so it
 * can be asked for every row. The nearest one counts, never the outermost (field fault F17). A folder that is gone is
 * placed by what is left above it; a worktree whose entry was deleted still tells its repository. The caller caches.
 * @returns undefined where no repository is found. Never fails.
 */
export async function findRepository(cwd: string): Promise<RepositoryPlace | undefined> {
  for (let folder = await realPathOfRest(cwd); ; folder = dirname(folder)) {
    const found = await gitDirectoryAt(folder)
    if (found === 'broken') return undefined
    if (found) return placeOf(found.gitDirectory, found.worktree)
    if (dirname(folder) === folder) return undefined
  }
}

/** What sessions of a repository are grouped by, from its common git directory. See {@link RepositoryPlace}. */
export async function repositoryOf(commonDirectory: string): Promise<string> {
  const parent = dirname(commonDirectory)
  if (basename(commonDirectory) === '.git') return parent
  const worktree = coreWorktree(await readFile(join(commonDirectory, 'config'), 'utf8').catch(() => ''))
  if (worktree !== undefined) return realPathOfRest(resolve(commonDirectory, worktree))
  const link = await readGitLink(join(parent, '.git'))
  if (link !== undefined && (await realPathOfRest(link)) === commonDirectory) return parent
  return commonDirectory
}

/** A name for people: the last folder, without `.git` behind it; of a hidden folder, the name of the folder around it. */
export function repositoryName(repository: string): string {
  const last = basename(repository)
  if (last.startsWith('.') && dirname(repository) !== repository) return repositoryName(dirname(repository))
  return last.replace(/(.)\.git$/i, '$1') || 'repository'
}

/** The path without symbolic links as far as it exists, and what does not exist as written. Never fails. */
export async function realPathOfRest(path: string): Promise<string> {
  const absolute = resolve(path)
  try {
    return await realpath(absolute)
  } catch {
    const parent = dirname(absolute)
    // Not there, or not to be entered: the part above may still be.
    return parent === absolute ? absolute : join(await realPathOfRest(parent), basename(absolute))
  }
}

/** git's own order: first `.git` in the folder, then the folder itself as a git directory. */
async function gitDirectoryAt(
  folder: string,
): Promise<{ readonly gitDirectory: string; readonly worktree?: string } | 'broken' | undefined> {
  const inside = join(folder, '.git')
  const target = await readGitLink(inside)
  if (target !== undefined) {
    if (await isGitDirectory(target)) return { gitDirectory: target, worktree: folder }
    // Git stops here, too. The path alone still names the repository of a worktree whose entry was deleted (F11).
    const common = /^(.+)[\\/]worktrees[\\/][^\\/]+$/.exec(target)?.[1]
    return common !== undefined && (await isGitDirectory(common))
      ? { gitDirectory: common, worktree: folder }
      : 'broken'
  }
  if (await isGitDirectory(inside)) return { gitDirectory: inside, worktree: folder }
  return (await isGitDirectory(folder)) ? { gitDirectory: folder } : undefined
}

async function placeOf(gitDirectory: string, worktree: string | undefined): Promise<RepositoryPlace> {
  const shared = await readFile(join(gitDirectory, 'commondir'), 'utf8').catch(() => undefined)
  const commonDirectory = await realPathOfRest(
    shared === undefined ? gitDirectory : resolve(gitDirectory, shared.replace(/[\r\n]+$/, '')),
  )
  const repository = await repositoryOf(commonDirectory)
  // Where a `.git` file leads to a bare repository, the folder around it holds no checked-out files.
  const inWorktree = worktree !== undefined && !(shared === undefined && (await isBare(commonDirectory)))
  return {
    repository,
    name: repositoryName(repository),
    commonDirectory,
    ...(inWorktree ? { worktree } : {}),
  }
}

async function isGitDirectory(folder: string): Promise<boolean> {
  if (!(await exists(join(folder, 'HEAD')))) return false
  if (await exists(join(folder, 'commondir'))) return true
  return (await exists(join(folder, 'objects'))) && (await exists(join(folder, 'refs')))
}

async function isBare(commonDirectory: string): Promise<boolean> {
  const config = await readFile(join(commonDirectory, 'config'), 'utf8').catch(() => '')
  return /^(?:true|yes|on|1)$/i.test(coreValue(config, 'bare') ?? 'false')
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

function coreWorktree(config: string): string | undefined {
  return coreValue(config, 'worktree')
}

/** One value of git's `[core]` section: the last one counts, quotes and escapes are undone, comments cut. */
function coreValue(config: string, key: string): string | undefined {
  let inCore = false
  let value: string | undefined
  for (const line of config.split('\n')) {
    const section = /^\s*\[\s*([^\]]*?)\s*\]/.exec(line)?.[1]
    if (section !== undefined) inCore = section.toLowerCase() === 'core'
    const setting = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*=\s*(.*)$/.exec(line)
    if (inCore && setting?.[1]?.toLowerCase() === key) value = unquoteValue(setting[2] ?? '')
  }
  return value
}

function unquoteValue(raw: string): string {
  let value = ''
  let quoted = false
  for (let index = 0; index < raw.length; index += 1) {
    const sign = raw[index] ?? ''
    if (sign === '"') quoted = !quoted
    else if (!quoted && (sign === '#' || sign === ';')) break
    else if (sign === '\\') value += { n: '\n', t: '\t', b: '\b' }[raw[(index += 1)] ?? ''] ?? raw[index] ?? ''
    else value += sign
  }
  return quoted ? value : value.trimEnd()
}
