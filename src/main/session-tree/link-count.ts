import { statfsSync, statSync } from 'node:fs'

/** Disks on which a directory's link count is exactly two and one more for each directory in it (as `find` relies on). */
const COUNTING_DISKS: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // XFS
  0x01021994, // tmpfs
  0xf2f52010, // F2FS
])

/** With so many links a directory holds no other, on a disk that counts them. */
export const LINKS_OF_A_LEAF = 2

/**
 * The device on which a directory's link count says whether there are directories in it, so that they need not be asked for
 * by name. Others say 1 for all (Btrfs), count files as well (APFS), or make it up (network drives).
 * @param path a directory on that device
 * @returns undefined if its link counts say nothing, or cannot be had
 */
export function diskThatCounts(path: string): number | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    return COUNTING_DISKS.has(statfsSync(path).type) ? statSync(path).dev : undefined
  } catch {
    return undefined
  }
}
