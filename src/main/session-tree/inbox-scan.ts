import { applySplice, emptyInbox, INBOX_EVENT, type Inbox } from './inbox.ts'
import { takeFromOwn, type OwnScan } from './own-scan.ts'
import type { FileHandle } from 'node:fs/promises'

const TYPES: ReadonlySet<string> = new Set([INBOX_EVENT])

/**
 * What waits in a session's own inbox; what its seed queued is the parent's. A scan of bytes over the session's own part.
 * @throws the system's error.
 */
export async function readInbox(file: FileHandle, log: Omit<OwnScan, 'types'>): Promise<Inbox> {
  const splices = await takeFromOwn(file, { ...log, types: TYPES }, (event) => event)
  return splices.reduce((inbox, splice) => applySplice(inbox, splice.data), emptyInbox())
}
