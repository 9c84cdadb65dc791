import type { Stats } from 'node:fs'
import type { LogHeader } from '../../shared/session-event.ts'
import type { ToolError } from '../../shared/tool-error.ts'
import { peekEvent } from './event-peek.ts'
import { standingIn, wordsIn, type Words } from './facts-fold.ts'
import { readFirstLine } from './first-line.ts'
import { readFailure } from './log-file.ts'
import { promptText } from './own-words.ts'
import type { SessionFacts, SessionPlace } from './session-tree.ts'
import { toStamp } from './stamped.ts'

/** How much of each end of a log is read. */
export const WINDOW = 64 * 1024
const NEWLINE = 10
/** How far back the beginning of one huge last line is looked for, to learn its time. */
const FURTHEST_BACK = 32 * 1024 * 1024

/** A log as it was opened. */
export interface OpenedLog {
  /** Room for two windows; the first is filled with the first `bytes` of the log. */
  readonly buffer: Buffer
  readonly bytes: number
  readonly stats: Stats
}

/** Bytes that are wanted of the log: `into` is to be filled from `position` on. What is answered is how many there were. */
export interface WantedBytes {
  readonly into: Buffer
  readonly position: number
}

/**
 * What a list or a tree needs to know about a session, from the first and the last 64 KiB of its log (design §3); where a
 * fork's own part begins behind the first window, from 64 KiB there as well. Asks for the bytes it wants and reads none,
 * so that a thread that may block and one that must not have the same facts.
 */
export function* factsSteps(place: SessionPlace, log: OpenedLog): Generator<WantedBytes, SessionFacts, number> {
  const { stats } = log
  const file = toStamp(stats)
  const head = log.buffer.subarray(0, log.bytes)
  const first = readFirstLine(head, stats.size, place)
  if (!first.header) return { ...odd(place, first.problem), file }
  const { header, problem } = first
  const windows = yield* readWindows(log, header, first.end)
  const { beginning, tail } = windows
  const seedLength = header.seedLength ?? 0
  const { title, firstPrompt, inbox, settled } = wordsOf(windows, seedLength)
  const standing = standingIn(tail ? wholeLines(tail) : beginning, seedLength)
  const updatedAt = yield* lastTime(log, windows, standing.lastTime)
  return {
    place,
    header,
    ...(problem ? { problem } : {}),
    ...(title === undefined ? {} : { title }),
    ...(firstPrompt === undefined ? {} : { firstPrompt }),
    settled,
    updatedAt: updatedAt ?? header.createdAt,
    status: problem || standing.failed ? 'failed' : 'cold',
    openTurn: standing.openTurn,
    cutTail: (tail ?? beginning).at(-1) !== NEWLINE,
    waiting: inbox.nextTurn.some((message) => promptText(message) !== undefined),
    file,
  }
}

/** The facts of a session whose log could not be opened or read. */
export function unreadableFacts(place: SessionPlace, error: unknown): SessionFacts {
  const problem = readFailure(error, place)
  return { ...odd(place, problem), status: problem.code === 'log_missing' ? 'missing' : 'failed' }
}

function odd(place: SessionPlace, problem: ToolError): SessionFacts {
  return { place, problem, settled: true, status: 'failed', openTurn: false, cutTail: false, waiting: false }
}

/** The own beginning of a log, and its end where the beginning does not reach it. */
interface Windows {
  readonly beginning: Buffer
  readonly tail?: Buffer
}

function* readWindows(log: OpenedLog, header: LogHeader, headerEnd: number): Generator<WantedBytes, Windows, number> {
  const { buffer, bytes, stats } = log
  const { size } = stats
  const { seedBytes } = header
  const ownStart = seedBytes !== undefined && seedBytes > headerEnd && seedBytes <= size ? seedBytes : headerEnd
  if (size <= bytes) return { beginning: buffer.subarray(Math.min(ownStart, bytes), bytes) }
  if (ownStart >= bytes) {
    const own = Buffer.allocUnsafe(Math.min(WINDOW, size - ownStart))
    const beginning = own.subarray(0, yield { into: own, position: ownStart })
    if (ownStart + beginning.length >= size) return { beginning }
    return { beginning, tail: yield* readTail(log, ownStart + beginning.length) }
  }
  const tailStart = Math.max(bytes, size - WINDOW)
  const tail = yield* readTail(log, tailStart)
  // Where the two windows meet in the file they meet in the buffer as well.
  if (tailStart === bytes && bytes === WINDOW) return { beginning: buffer.subarray(ownStart, WINDOW + tail.length) }
  return { beginning: buffer.subarray(ownStart, bytes), tail }
}

function* readTail({ buffer, stats }: OpenedLog, from: number): Generator<WantedBytes, Buffer, number> {
  const start = Math.max(from, stats.size - WINDOW)
  const room = buffer.subarray(WINDOW, WINDOW + stats.size - start)
  return room.subarray(0, yield { into: room, position: start })
}

/** What stands before the first newline is the end of a line that began in the unread part. */
function wholeLines(tail: Buffer): Buffer {
  return tail.subarray(tail.indexOf(NEWLINE) + 1)
}

/**
 * The first prompt comes from the beginning only, the title from the end if it is there, the inbox from the end only.
 * Settled if both title and first prompt are certain.
 */
function wordsOf({ beginning, tail }: Windows, seedLength: number): Words & { readonly settled: boolean } {
  const early = wordsIn(beginning, seedLength)
  if (!tail) return { ...early, settled: true }
  const { title, inbox } = wordsIn(wholeLines(tail), seedLength)
  const { firstPrompt } = early
  return {
    title: title ?? early.title,
    firstPrompt,
    inbox,
    settled: title !== undefined && firstPrompt !== undefined,
  }
}

/** The time of the last event, also where its line is longer than the window. */
function* lastTime(
  { stats }: OpenedLog,
  { beginning, tail }: Windows,
  shown: number | undefined,
): Generator<WantedBytes, number | undefined, number> {
  if (!tail) return shown
  const known = shown ?? standingIn(beginning, 0).lastTime
  const firstNewline = tail.indexOf(NEWLINE)
  if (firstNewline !== -1 && tail.indexOf(NEWLINE, firstNewline + 1) !== -1) return known
  const block = Buffer.allocUnsafe(WINDOW)
  let high = stats.size - tail.length
  while (high > 0 && stats.size - high < FURTHEST_BACK) {
    const low = Math.max(0, high - WINDOW)
    const bytes = yield { into: block.subarray(0, high - low), position: low }
    const newline = block.lastIndexOf(NEWLINE, bytes - 1)
    if (newline !== -1) {
      const start = yield { into: block, position: low + newline + 1 }
      return peekEvent(block, 0, start)?.time ?? known
    }
    high = low
  }
  return known
}
