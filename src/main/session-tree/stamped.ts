import type { Stats } from 'node:fs'
import type { FileStamp } from './session-tree.ts'

/** What the system says about a file, as far as it tells whether the file is still the same. */
export function toStamp(stats: Stats): FileStamp {
  return { size: stats.size, mtimeMs: stats.mtimeMs, inode: stats.ino }
}

/** True if a file is the one it was, unchanged; also if it is still not there. */
export function isSameStamp(one: FileStamp | undefined, other: FileStamp | undefined): boolean {
  return one?.size === other?.size && one?.mtimeMs === other?.mtimeMs && one?.inode === other?.inode
}

/** Values that hold as long as a file's stamp does; only the most recently noted ones are kept. */
export interface Stamped<Value> {
  /** The value, if the file still is what it was. */
  get(path: string, stamp: FileStamp): Value | undefined
  note(path: string, stamp: FileStamp, value: Value): void
  forget(path: string): void
}

/** @param most how many files are kept in mind. */
export function createStamped<Value>(most: number): Stamped<Value> {
  const known = new Map<string, { readonly stamp: FileStamp; readonly value: Value }>()
  return {
    get(path, stamp) {
      const found = known.get(path)
      return found && isSameStamp(found.stamp, stamp) ? found.value : undefined
    },
    note(path, { size, mtimeMs, inode }, value) {
      known.delete(path)
      known.set(path, { stamp: { size, mtimeMs, inode }, value })
      const oldest = known.keys().next()
      if (known.size > most && !oldest.done) known.delete(oldest.value)
    },
    forget: (path) => void known.delete(path),
  }
}
