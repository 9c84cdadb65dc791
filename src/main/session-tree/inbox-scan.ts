import { applySplice, emptyInbox, INBOX_EVENT } from './inbox.ts'
import type { OpenLog } from './log.ts'
import { takeFromOwn } from './own-scan.ts'

const TYPES: ReadonlySet<string> = new Set([INBOX_EVENT])

/**
 * How many of the session's own prompts wait for a turn: where the next one is queued. The seed's are the parent's.
 * @throws the system's error.
 */
export async function waitingPrompts(log: OpenLog): Promise<number> {
  const { file, header, headerEnd, size } = log
  const splices = await takeFromOwn(file, { header, headerEnd, size, types: TYPES }, (event) => event)
  return splices.reduce((inbox, splice) => applySplice(inbox, splice.data), emptyInbox()).nextTurn.length
}
