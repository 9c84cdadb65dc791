import { asRecord } from './event.ts'
import { holdsAt, peekEvent } from './event-peek.ts'
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

/** A line in a stretch of log: its event, parsed only where somebody asks for its data. */
interface Line {
  readonly type: string
  readonly seq: number
  readonly time: number
  readonly data: () => unknown
}

/**
 * Looks through the newline-ended lines of a stretch of log. This is done to every log of a tree, so lines that cannot
 * matter are passed over by their first bytes, and of the others only what is needed is parsed. Damaged ones are passed over.
 * @param seedLength events before it are the parent's: they count for the time of the last event alone.
 */
export function lookThrough(bytes: Buffer, seedLength: number, seen: Sighting): void {
  let start = 0
  /** How the last turn that did work ended decides; the ends of those before it need not be known. */
  let lastEnd: Line | undefined
  for (;;) {
    const end = bytes.indexOf(NEWLINE, start)
    if (end === -1) break
    if (end > start && mayMatter(bytes, start, end, seen)) {
      const line = readLine(bytes, start, end)
      if (line && line.seq >= seedLength) {
        if (line.type === 'turn/end' && seen.worked) lastEnd = line
        takeIn(line, seen)
      }
    }
    start = end + 1
  }
  if (lastEnd) seen.failed = asRecord(asRecord(lastEnd.data())?.['reason'])?.['kind'] === 'error'
  seen.lastTime = lastTime(bytes, start) ?? seen.lastTime
}

function takeIn({ type, data }: Line, seen: Sighting): void {
  switch (type) {
    case 'turn/start':
      seen.openTurn = true
      seen.worked = false
      return
    case 'turn/end':
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
      if (seen.firstPrompt === undefined) seen.firstPrompt = promptText(data())
      return
    case INBOX_EVENT: {
      seen.inbox = applySplice(seen.inbox, data())
      for (const message of seen.inbox.nextTurn) seen.firstPrompt ??= promptText(message)
      return
    }
  }
}

/** The time of the last line that is an event. @param end one past the last newline */
function lastTime(bytes: Buffer, end: number): number | undefined {
  for (let high = end; high > 0;) {
    const start = high < 2 ? 0 : bytes.lastIndexOf(NEWLINE, high - 2) + 1
    const line = high - 1 > start ? readLine(bytes, start, high - 1) : undefined
    if (line) return line.time
    high = start
  }
  return undefined
}

const OPENING = Buffer.from('{"type":"')
const inBytes = (types: readonly string[]): Buffer[] => types.map((type) => Buffer.from(`${type}"`))
const TURN = inBytes(['turn/start', 'turn/end'])
const WORK = inBytes(['step/start', 'step/end', 'assistant/message', 'tool/call'])
const PROMPT = inBytes(['user/message'])
const WORDS = inBytes(['session/title', INBOX_EVENT])

/** False for an event in DSH's own order of keys that can say nothing new: most types never do, others only once. */
function mayMatter(bytes: Buffer, start: number, end: number, seen: Sighting): boolean {
  if (!holdsAt(bytes, start, end, OPENING)) return true
  const at = start + OPENING.length
  const isOneOf = (types: readonly Buffer[]): boolean => types.some((type) => holdsAt(bytes, at, end, type))
  if (isOneOf(WORK)) return !seen.worked
  if (isOneOf(PROMPT)) return seen.firstPrompt === undefined
  return isOneOf(TURN) || isOneOf(WORDS)
}

/** The event on a line, whatever the order of its keys; undefined if there is none. */
function readLine(bytes: Buffer, start: number, end: number): Line | undefined {
  const peeked = peekEvent(bytes, start, end)
  if (peeked) return { ...peeked, data: () => asRecord(parse(bytes, start, end))?.['data'] }
  const { type, seq, time, data } = asRecord(parse(bytes, start, end)) ?? {}
  return typeof type === 'string' && typeof seq === 'number' && typeof time === 'number'
    ? { type, seq, time, data: () => data }
    : undefined
}

function parse(bytes: Buffer, start: number, end: number): unknown {
  try {
    return JSON.parse(bytes.toString('utf8', start, end))
  } catch {
    return undefined
  }
}
