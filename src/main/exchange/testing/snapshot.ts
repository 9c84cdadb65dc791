import { createHash } from 'node:crypto'
import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Everything about a folder that a reader could have changed: names, bytes, sizes, inodes, modes, times of change. */
export async function snapshot(folder: string): Promise<Readonly<Record<string, string>>> {
  const all: Record<string, string> = {}
  for (const name of ['', ...(await readdir(folder, { recursive: true }))].toSorted()) {
    const path = join(folder, name)
    const stats = await lstat(path, { bigint: true })
    const hash = stats.isFile()
      ? createHash('sha256')
          .update(await readFile(path))
          .digest('hex')
      : ''
    all[name] = [stats.mode, stats.ino, stats.size, stats.mtimeNs, hash].join(' ')
  }
  return all
}
