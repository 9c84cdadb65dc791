import { mkdir, stat, writeFile } from 'node:fs/promises'
import { expect } from 'vitest'
import type { SessionId } from '../../../shared/session-id.ts'
import type { FileStamp, SessionPlace } from '../session-tree.ts'
import type { TreeChange } from '../tree-watcher.ts'
import type { SeenSession } from '../tree-watcher-index.ts'

/** What a consumer of the changes knows, kept the way `TreeChange` says: what was removed first. */
export function consumer() {
  const known = new Map<SessionId, SeenSession>()
  const changes: TreeChange[] = []
  return {
    known,
    changes,
    take(change: TreeChange) {
      changes.push(change)
      for (const id of change.removed) {
        for (const [each, { place }] of known) if (each === id || place.ancestors.includes(id)) known.delete(each)
      }
      for (const seen of [...change.added, ...change.changed]) known.set(seen.place.id, seen)
    },
  }
}

/** Other programs may keep the machine busy: slow is not wrong. */
export const eventually = (look: () => unknown): ReturnType<typeof expect.poll> =>
  expect.poll(look, { timeout: 20_000, interval: 20 })

/** Puts a session there, as another program would: a log that no watcher reads. */
export async function create(place: SessionPlace): Promise<SessionPlace> {
  await mkdir(place.directory, { recursive: true })
  await writeFile(place.logPath, '{"type":"session"}\n')
  return place
}

/** What a log is now. */
export async function stampOf({ logPath }: SessionPlace): Promise<FileStamp> {
  const { size, mtimeMs, ino } = await stat(logPath)
  return { size, mtimeMs, inode: ino }
}
