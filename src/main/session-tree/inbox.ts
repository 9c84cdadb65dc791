import { randomUUID } from 'node:crypto'
import type { EventDraft } from '../../shared/session-event.ts'
import { asRecord } from './event.ts'

/** A message that waits to be taken by the agent, in DSH's shape: `{content, source, role, id}`. */
export interface QueuedMessage {
  readonly id: string
  readonly role: string
  readonly source: { readonly kind: string }
  readonly content: readonly unknown[]
}

/** What waits, by when it is to be taken. A fork's inbox is folded from `seedLength` on: the seed's is the parent's. */
export interface Inbox {
  readonly nextTurn: readonly QueuedMessage[]
  readonly nextStep: readonly QueuedMessage[]
}

export const INBOX_EVENT = 'agent/inbox/spliced'

export function emptyInbox(): Inbox {
  return { nextTurn: [], nextStep: [] }
}

/**
 * One `agent/inbox/spliced` applied (dsh-format §5): at `start`, `removedCount` messages leave and `inserted` come in.
 * Data of another shape changes nothing.
 */
export function applySplice(inbox: Inbox, data: unknown): Inbox {
  const splice = asRecord(data)
  const queue =
    splice?.['target'] === 'next-turn' ? 'nextTurn' : splice?.['target'] === 'next-step' ? 'nextStep' : undefined
  if (!splice || !queue) return inbox
  const { start, removedCount, inserted } = splice
  if (typeof start !== 'number' || !Number.isSafeInteger(start) || start < 0) return inbox
  const removed = typeof removedCount === 'number' ? removedCount : 0
  const added = Array.isArray(inserted) ? inserted.filter(isQueuedMessage) : []
  return { ...inbox, [queue]: inbox[queue].toSpliced(start, removed, ...added) }
}

function isQueuedMessage(value: unknown): value is QueuedMessage {
  const message = asRecord(value)
  return (
    typeof message?.['id'] === 'string' &&
    typeof asRecord(message['source'])?.['kind'] === 'string' &&
    Array.isArray(message['content'])
  )
}

/** The event that queues a person's prompt as the `start`-th of those that wait for a turn. */
export function promptDraft(text: string, start: number, time: number): EventDraft {
  const message = { content: [{ type: 'text', text }], source: { kind: 'user' }, role: 'user', id: randomUUID() }
  return { type: INBOX_EVENT, time, data: { target: 'next-turn', start, inserted: [message] } }
}

/** The event that names a session as a person wants it: DSH's rename, which pins the title. */
export function titleDraft(title: string, time: number): EventDraft {
  return { type: 'session/title', time, data: { title, messageSeqs: [], source: { kind: 'user' } } }
}
