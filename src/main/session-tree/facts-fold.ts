import { asRecord } from './event.ts'
import { peekEvent } from './event-peek.ts'
import { applySplice, emptyInbox, INBOX_EVENT, type Inbox } from './inbox.ts'
import { promptText, titleText } from './own-words.ts'

/** What the events looked at so far say about a session; filled in log order. */
export interface Sighting {
  title: string | undefined
  firstPrompt: string | undefined
  lastTime: number | undefined
  openTurn: boolean
  /** Whether the turn at hand had a step. */
  worked: boolean
  /** Whether the last turn that did work ended in an error. */
  failed: boolean
  inbox: Inbox
}

export function emptySighting(): Sighting {
  return {
    title: undefined,
    firstPrompt: undefined,
    lastTime: undefined,
    openTurn: false,
    worked: false,
    failed: false,
    inbox: emptyInbox(),
  }
}

const NEWLINE = 10

/**
 * Looks through the newline-ended lines of a stretch of log. Only lines that matter are parsed; damaged ones are passed over.
 * @param seedLength events before it are the parent's: they count for the time of the last event alone.
 */
export function lookThrough(bytes: Buffer, seedLength: number, seen: Sighting): void {
  let start = 0
  for (;;) {
    const end = bytes.indexOf(NEWLINE, start)
    if (end === -1) return
    if (end > start) lookAt(bytes, start, end, seedLength, seen)
    start = end + 1
  }
}

function lookAt(bytes: Buffer, start: number, end: number, seedLength: number, seen: Sighting): void {
  const peeked = peekEvent(bytes, start, end)
  const event = peeked ?? parseForeign(bytes, start, end)
  if (!event) return
  seen.lastTime = event.time
  if (event.seq < seedLength) return
  const data = () => asRecord(peeked ? asRecord(parse(bytes, start, end))?.['data'] : event.data)
  switch (event.type) {
    case 'turn/start':
      seen.openTurn = true
      seen.worked = false
      return
    case 'turn/end':
      if (seen.worked) seen.failed = asRecord(data()?.['reason'])?.['kind'] === 'error'
      seen.openTurn = false
      seen.worked = false
      return
    case 'step/start':
    case 'step/end':
    case 'assistant/message':
    case 'tool/call':
      // Where a window begins inside a turn these are the first sign of it.
      seen.openTurn = true
      seen.worked = true
      return
    case 'session/title':
      seen.title = titleText(data()) ?? seen.title
      return
    case 'user/message':
      seen.firstPrompt ??= promptText(data())
      return
    case INBOX_EVENT: {
      seen.inbox = applySplice(seen.inbox, data())
      for (const message of seen.inbox.nextTurn) seen.firstPrompt ??= promptText(message)
      return
    }
  }
}

function parseForeign(bytes: Buffer, start: number, end: number) {
  const record = asRecord(parse(bytes, start, end))
  const { type, seq, time, data } = record ?? {}
  return typeof type === 'string' && typeof seq === 'number' && typeof time === 'number'
    ? { type, seq, time, data }
    : undefined
}

function parse(bytes: Buffer, start: number, end: number): unknown {
  try {
    return JSON.parse(bytes.toString('utf8', start, end))
  } catch {
    return undefined
  }
}
