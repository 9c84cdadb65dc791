import { readdir, readFile, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { realPathOfRest } from './repository.ts'
import { errorCode } from './system-error.ts'

/** git's own record of a linked worktree: a folder in `<common>/worktrees/`. */
export interface WorktreeEntry {
  readonly folder: string
  /** Why it is locked; absent if it is not. Git itself locks with `initializing` while it makes one. */
  readonly locked?: string
}

/**
 * Finds the entry of the worktree at `path` by plain reading, so that entries `git worktree list` does not show are
 * found too: git was killed before it had written where the worktree is. Such an entry is taken by its name, which
 * git makes from the worktree's folder. Never fails.
 */
export async function findEntry(commonDirectory: string, path: string): Promise<WorktreeEntry | undefined> {
  const folder = join(commonDirectory, 'worktrees')
  const names = await readdir(folder).catch(() => [])
  const wanted = await realPathOfRest(path)
  let unfinished: string | undefined
  for (const name of names) {
    const entry = join(folder, name)
    const link = await readFile(join(entry, 'gitdir'), 'utf8').catch(() => undefined)
    if (link === undefined || link.trim() === '') {
      if (name === basename(path)) unfinished = entry
    } else if ((await realPathOfRest(dirname(resolve(entry, link.replace(/[\r\n]+$/, ''))))) === wanted) {
      return describeEntry(entry)
    }
  }
  return unfinished === undefined ? undefined : describeEntry(unfinished)
}

async function describeEntry(folder: string): Promise<WorktreeEntry> {
  const locked = await readFile(join(folder, 'locked'), 'utf8').catch(() => undefined)
  return locked === undefined ? { folder } : { folder, locked: locked.trim() }
}

/** Removes one entry, and the folder of entries if it was the last, as git does. Throws what the file system says. */
export async function removeEntry(entry: WorktreeEntry): Promise<void> {
  await rm(entry.folder, { recursive: true, force: true, maxRetries: 3 })
  await removeIfEmpty(dirname(entry.folder))
}

/**
 * Removes the folders that were made for a worktree, upwards from its parent to `topmost`, as far as they are empty:
 * another worktree may have come to stand in them.
 */
export async function removeNewFolders(path: string, topmost: string | undefined): Promise<void> {
  if (topmost === undefined) return
  for (let folder = dirname(path); folder.startsWith(topmost); folder = dirname(folder)) {
    if (!(await removeIfEmpty(folder))) return
  }
}

/** True if the folder is gone afterwards. */
export async function removeIfEmpty(folder: string): Promise<boolean> {
  try {
    await rmdir(folder)
    return true
  } catch (error) {
    // Not empty, in use, or not ours to remove: it stays.
    return errorCode(error) === 'ENOENT'
  }
}
