import type { Stats } from 'node:fs'
import type { LogHeader } from '../../shared/session-event.ts'
import type { ToolError } from '../../shared/tool-error.ts'
import { closeDescriptor, openDescriptor, readDescriptor, statDescriptor } from './descriptor.ts'
import { peekEvent } from './event-peek.ts'
import { emptySighting, lookThrough, type Sighting } from './facts-fold.ts'
import { readFirstLine } from './first-line.ts'
import { emptyInbox } from './inbox.ts'
import { readFailure } from './log-file.ts'
import { promptText } from './own-words.ts'
import type { SessionFacts, SessionPlace } from './session-tree.ts'

/** How much of each end of a log is read. */
const WINDOW = 64 * 1024
const NEWLINE = 10
/** How far back the beginning of one huge last line is looked for, to learn its time. */
const FURTHEST_BACK = 32 * 1024 * 1024

/**
 * What a list or a tree needs to know about a session, from the first and the last 64 KiB of its log (design §3); where a
 * fork's own part begins behind the first window, from 64 KiB there as well. Never fails: what is odd is in `problem`,
 * and what can be known beside it is there too.
 */
export async function readFacts(place: SessionPlace): Promise<SessionFacts> {
  let descriptor: number | undefined
  const buffer = spare.pop() ?? Buffer.allocUnsafeSlow(2 * WINDOW)
  try {
    descriptor = await openDescriptor(place.logPath)
    // Both at once: for the many small logs that is all there is to read.
    const [stats, bytes] = await Promise.all([
      statDescriptor(descriptor),
      readDescriptor(descriptor, buffer.subarray(0, WINDOW), 0),
    ])
    return await factsOf(place, { descriptor, buffer, bytes, stats })
  } catch (error) {
    return unreadable(place, error)
  } finally {
    if (descriptor !== undefined) await closeDescriptor(descriptor)
    if (spare.length < MOST_SPARE) spare.push(buffer)
  }
}

/** Buffers that are free: making 128 KiB for each of ten thousand logs would keep the garbage collector busy. */
const spare: Buffer[] = []
const MOST_SPARE = 64

interface OpenedLog {
  readonly descriptor: number
  /** Room for two windows; the first is filled with the first `bytes` of the log. */
  readonly buffer: Buffer
  readonly bytes: number
  readonly stats: Stats
}

function unreadable(place: SessionPlace, error: unknown): SessionFacts {
  const problem = readFailure(error, place)
  return { ...odd(place, problem), status: problem.code === 'log_missing' ? 'missing' : 'failed' }
}

function odd(place: SessionPlace, problem: ToolError): SessionFacts {
  return { place, problem, settled: true, status: 'failed', openTurn: false, cutTail: false, waiting: false }
}

async function factsOf(place: SessionPlace, log: OpenedLog): Promise<SessionFacts> {
  const { stats } = log
  const file = { size: stats.size, mtimeMs: stats.mtimeMs, inode: stats.ino }
  const head = log.buffer.subarray(0, log.bytes)
  const first = readFirstLine(head, stats.size, place)
  if (!first.header) return { ...odd(place, first.problem), file }
  const { header, problem } = first
  const windows = await readWindows(log, header, first.end)
  const seen = emptySighting()
  const settled = lookAtWindows(windows, header.seedLength ?? 0, seen)
  const updatedAt = await lastTime(log, windows, seen)
  return {
    place,
    header,
    ...(problem ? { problem } : {}),
    ...(seen.title === undefined ? {} : { title: seen.title }),
    ...(seen.firstPrompt === undefined ? {} : { firstPrompt: seen.firstPrompt }),
    settled,
    updatedAt: updatedAt ?? header.createdAt,
    status: problem || seen.failed ? 'failed' : 'cold',
    openTurn: seen.openTurn,
    cutTail: (windows.tail ?? windows.beginning).at(-1) !== NEWLINE,
    waiting: seen.inbox.nextTurn.some((message) => promptText(message) !== undefined),
    file,
  }
}

/** The own beginning of a log, and its end where the beginning does not reach it. */
interface Windows {
  readonly beginning: Buffer
  readonly tail?: Buffer
}

async function readWindows(log: OpenedLog, header: LogHeader, headerEnd: number): Promise<Windows> {
  const { descriptor, buffer, bytes, stats } = log
  const { size } = stats
  const { seedBytes } = header
  const ownStart = seedBytes !== undefined && seedBytes > headerEnd && seedBytes <= size ? seedBytes : headerEnd
  if (size <= bytes) return { beginning: buffer.subarray(Math.min(ownStart, bytes), bytes) }
  if (ownStart >= bytes) {
    const own = Buffer.allocUnsafe(Math.min(WINDOW, size - ownStart))
    const beginning = own.subarray(0, await readDescriptor(descriptor, own, ownStart))
    if (ownStart + beginning.length >= size) return { beginning }
    return { beginning, tail: await readTail(log, ownStart + beginning.length) }
  }
  const tailStart = Math.max(bytes, size - WINDOW)
  const tail = await readTail(log, tailStart)
  // Where the two windows meet in the file they meet in the buffer as well.
  if (tailStart === bytes && bytes === WINDOW) return { beginning: buffer.subarray(ownStart, WINDOW + tail.length) }
  return { beginning: buffer.subarray(ownStart, bytes), tail }
}

async function readTail({ descriptor, buffer, stats }: OpenedLog, from: number): Promise<Buffer> {
  const start = Math.max(from, stats.size - WINDOW)
  const room = buffer.subarray(WINDOW, WINDOW + stats.size - start)
  return room.subarray(0, await readDescriptor(descriptor, room, start))
}

/**
 * The first prompt comes from the beginning only, the title from the end if it is there, the turn at hand from the end only.
 * @returns true if both title and first prompt are certain.
 */
function lookAtWindows({ beginning, tail }: Windows, seedLength: number, seen: Sighting): boolean {
  lookThrough(beginning, seedLength, seen)
  if (!tail) return true
  const { title, firstPrompt } = seen
  Object.assign(seen, { title: undefined, openTurn: false, worked: false, failed: false, inbox: emptyInbox() })
  // What stands before the first newline is the end of a line that began in the unread part.
  lookThrough(tail.subarray(tail.indexOf(NEWLINE) + 1), seedLength, seen)
  const titleIsLast = seen.title !== undefined
  seen.title ??= title
  seen.firstPrompt = firstPrompt
  return titleIsLast && firstPrompt !== undefined
}

/** The time of the last event, also where its line is longer than the window. */
async function lastTime(
  { descriptor, stats }: OpenedLog,
  { tail }: Windows,
  seen: Sighting,
): Promise<number | undefined> {
  if (!tail) return seen.lastTime
  const firstNewline = tail.indexOf(NEWLINE)
  if (firstNewline !== -1 && tail.indexOf(NEWLINE, firstNewline + 1) !== -1) return seen.lastTime
  const block = Buffer.allocUnsafe(WINDOW)
  let high = stats.size - tail.length
  while (high > 0 && stats.size - high < FURTHEST_BACK) {
    const low = Math.max(0, high - WINDOW)
    const bytes = await readDescriptor(descriptor, block.subarray(0, high - low), low)
    const newline = block.lastIndexOf(NEWLINE, bytes - 1)
    if (newline !== -1) {
      const start = await readDescriptor(descriptor, block, low + newline + 1)
      return peekEvent(block, 0, start)?.time ?? seen.lastTime
    }
    high = low
  }
  return seen.lastTime
}
