import type { Stats } from 'node:fs'

/** What a folder was when it was listed. */
export interface FolderStamp {
  readonly mtimeMs: number
  readonly inode: number
  /** Milliseconds since the epoch, taken before the listing. */
  readonly readAt: number
}

/**
 * A folder's time of change is coarse (2 s on FAT): entries added in the same tick as it was read do not move it. So it
 * vouches for what was read only if it was older than this when that was read.
 */
const COARSEST_TICK_MS = 2_000

/** The stamp of a folder whose listing was begun at `readAt`. */
export function folderStamp({ mtimeMs, ino }: Stats, readAt: number): FolderStamp {
  return { mtimeMs, inode: ino, readAt }
}

/** True if a folder as it is found now must hold the entries that were read then. */
export function vouches(seen: FolderStamp | undefined, found: Stats): boolean {
  if (!seen || seen.mtimeMs !== found.mtimeMs || seen.inode !== found.ino) return false
  return seen.mtimeMs + COARSEST_TICK_MS < seen.readAt
}
