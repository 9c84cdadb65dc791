import { asRecord } from './event.ts'
import { peekEvent } from './event-peek.ts'
import { applySplice, emptyInbox, INBOX_EVENT, type Inbox } from './inbox.ts'
import { promptText, titleText } from './own-words.ts'

/*
 * What a stretch of log says about its session. This is done to every log of a tree, so lines are found by their bytes, and
 * only those are parsed that can matter. Damaged lines, and a last one without its newline, are passed over.
 */

/** What a session is called by its own events. */
export interface Words {
  readonly title: string | undefined
  readonly firstPrompt: string | undefined
  readonly inbox: Inbox
}

/** Where a session stands. */
export interface Standing {
  readonly lastTime: number | undefined
  readonly openTurn: boolean
  /** Whether the last turn that did work ended in an error. */
  readonly failed: boolean
}

const NEWLINE = 10
const TITLE = Buffer.from('session/title')
const PROMPT = Buffer.from('user/message')
const INBOX = Buffer.from(INBOX_EVENT)

/** A line that is an event; parsed only where somebody asks for its data. */
interface Line {
  readonly type: string
  readonly seq: number
  readonly time: number
  readonly data: () => unknown
}

/**
 * Title, first prompt and inbox, as a stretch of whole lines gives them.
 * @param seedLength events before it are the parent's
 */
export function wordsIn(bytes: Buffer, seedLength: number): Words {
  let firstPrompt: string | undefined
  let inbox = emptyInbox()
  let prompt = bytes.indexOf(PROMPT)
  let splice = bytes.indexOf(INBOX)
  while (splice !== -1 || (prompt !== -1 && firstPrompt === undefined)) {
    const isSplice = prompt === -1 || (splice !== -1 && splice < prompt)
    const at = isSplice ? splice : prompt
    const end = bytes.indexOf(NEWLINE, at)
    if (end === -1) break
    const line = ownLineAt(bytes, at, end, seedLength)
    if (line?.type === INBOX_EVENT) {
      inbox = applySplice(inbox, line.data())
      for (const message of inbox.nextTurn) firstPrompt ??= promptText(message)
    } else if (line?.type === 'user/message' && firstPrompt === undefined) firstPrompt = promptText(line.data())
    if (splice !== -1 && splice < end) splice = bytes.indexOf(INBOX, end)
    if (prompt !== -1 && prompt < end) prompt = firstPrompt === undefined ? bytes.indexOf(PROMPT, end) : -1
  }
  return { title: lastTitle(bytes, seedLength), firstPrompt, inbox }
}

function lastTitle(bytes: Buffer, seedLength: number): string | undefined {
  for (let at = bytes.lastIndexOf(TITLE); at !== -1;) {
    const end = bytes.indexOf(NEWLINE, at)
    const line = end === -1 ? undefined : ownLineAt(bytes, at, end, seedLength)
    const title = line?.type === 'session/title' ? titleText(line.data()) : undefined
    if (title !== undefined) return title
    const start = lineStart(bytes, at)
    at = start === 0 ? -1 : bytes.lastIndexOf(TITLE, start - 1)
  }
  return undefined
}

/**
 * Where a session stands at the end of a stretch: looked for from its end, for nearly always the last few lines say it all.
 * @param seedLength events before it are the parent's: they count for the time of the last event alone
 */
export function standingIn(bytes: Buffer, seedLength: number): Standing {
  let lastTime: number | undefined
  let openTurn: boolean | undefined
  /** The end of a turn of which it is not known yet whether it did any work. */
  let turnEnd: Line | undefined
  for (let end = bytes.lastIndexOf(NEWLINE); end > 0;) {
    const start = lineStart(bytes, end)
    const line = start < end ? readLine(bytes, start, end) : undefined
    end = start - 1
    if (!line) continue
    lastTime ??= line.time
    if (line.seq < seedLength) continue
    switch (line.type) {
      case 'turn/end':
        openTurn ??= false
        turnEnd = line
        break
      case 'turn/start':
        openTurn ??= true
        turnEnd = undefined
        break
      case 'step/start':
      case 'step/end':
      case 'assistant/message':
      case 'tool/call':
        // Where a window begins inside a turn these are the first sign of it.
        openTurn ??= true
        if (turnEnd) return { lastTime, openTurn, failed: endedInError(turnEnd) }
        break
    }
  }
  return { lastTime, openTurn: openTurn ?? false, failed: false }
}

function endedInError(turnEnd: Line): boolean {
  return asRecord(asRecord(turnEnd.data())?.['reason'])?.['kind'] === 'error'
}

/** Where the line begins in which this byte stands, or which this newline ends. */
function lineStart(bytes: Buffer, at: number): number {
  return at === 0 ? 0 : bytes.lastIndexOf(NEWLINE, at - 1) + 1
}

/** The session's own event on the line around this byte; `end` is the line's newline. */
function ownLineAt(bytes: Buffer, at: number, end: number, seedLength: number): Line | undefined {
  const line = readLine(bytes, lineStart(bytes, at), end)
  return line && line.seq >= seedLength ? line : undefined
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
