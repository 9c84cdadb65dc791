import fs, { type FSWatcher } from 'node:fs'
import { errorCode } from './error-code.ts'

/** Native watches on single directories, never recursive: on Linux a recursive one costs a watch for every directory. */
export interface Watches {
  /**
   * Watches these directories and no others; the first ones matter most, since the system may refuse the rest.
   * @returns the directories that were not watched before: what happened in them until now was missed.
   */
  readonly set: (directories: readonly string[]) => readonly string[]
  /** Drops the watch on a directory that is gone or replaced. */
  readonly forget: (directory: string) => void
  readonly close: () => void
}

/**
 * `fs.watch` itself, not a library around it: an event is only a hint here, whatever it says is looked up on disk, and a
 * directory's watch tells of its files as well, so a log needs none of its own.
 * @param onHint a directory in which something happened, and the name if the system said it.
 * @param onRefused no watch can be had (no more of them, or none on this kind of disk).
 */
export function createWatches(
  onHint: (directory: string, name: string | null) => void,
  onRefused: (code: string) => void,
): Watches {
  const held = new Map<string, FSWatcher>()

  function forget(directory: string): void {
    held.get(directory)?.close()
    held.delete(directory)
  }

  function failed(directory: string, error: unknown): boolean {
    forget(directory)
    const code = errorCode(error) ?? 'unknown'
    // The directory went away: the next look notices. Windows says EPERM for that.
    const isGone = code === 'ENOENT' || code === 'ENOTDIR' || (code === 'EPERM' && process.platform === 'win32')
    if (!isGone) onRefused(code)
    return !isGone
  }

  return {
    set(directories) {
      const wanted = new Set(directories)
      for (const directory of held.keys()) if (!wanted.has(directory)) forget(directory)
      const opened: string[] = []
      for (const directory of wanted) {
        if (held.has(directory)) continue
        try {
          // As a property, so that a preload can stand in for a system that has no watches left (field fault F25).
          const watcher = fs.watch(directory, { persistent: false }, (_kind, name) => onHint(directory, name))
          watcher.on('error', (error) => failed(directory, error))
          held.set(directory, watcher)
          opened.push(directory)
        } catch (error) {
          // With none left, the next would be refused as well.
          if (failed(directory, error)) break
        }
      }
      return opened
    },
    forget,
    close() {
      for (const watcher of held.values()) watcher.close()
      held.clear()
    },
  }
}
