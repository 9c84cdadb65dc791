import { open, type FileHandle } from 'node:fs/promises'
import type { ToolError } from '../../shared/tool-error.ts'
import { emptySighting, lookThrough, type Sighting } from './facts-fold.ts'
import { emptyInbox } from './inbox.ts'
import { readBytes, readFailure } from './log-file.ts'
import { readFirstLine } from './first-line.ts'
import { promptText } from './own-words.ts'
import type { FileStamp, SessionFacts, SessionPlace } from './session-tree.ts'

/** How much of each end of a log is read. */
const WINDOW = 64 * 1024
const NEWLINE = 10

/**
 * What a list or a tree needs to know about a session, from the first and the last 64 KiB of its log (design §3); where a
 * fork's own part begins behind the first window, from 64 KiB there as well. Never fails: what is odd is in `problem`,
 * and what can be known beside it is there too.
 */
export async function readFacts(place: SessionPlace): Promise<SessionFacts> {
  let file: FileHandle | undefined
  try {
    file = await open(place.logPath, 'r')
    const { size, mtimeMs, ino } = await file.stat()
    return await factsOf(place, file, { size, mtimeMs, inode: ino })
  } catch (error) {
    return unreadable(place, error)
  } finally {
    await file?.close()
  }
}

function unreadable(place: SessionPlace, error: unknown): SessionFacts {
  const problem = readFailure(error, place)
  return { ...odd(place, problem), status: problem.code === 'log_missing' ? 'missing' : 'failed' }
}

function odd(place: SessionPlace, problem: ToolError): SessionFacts {
  return { place, problem, settled: true, status: 'failed', openTurn: false, cutTail: false, waiting: false }
}

async function factsOf(place: SessionPlace, file: FileHandle, stamp: FileStamp): Promise<SessionFacts> {
  const head = await readBytes(file, 0, Math.min(WINDOW, stamp.size))
  const first = readFirstLine(head, stamp.size, place)
  if (!first.header) return { ...odd(place, first.problem), file: stamp }
  const { header, problem } = first
  const seedLength = header.seedLength ?? 0
  const seen = emptySighting()
  const own = await ownBeginning(file, head, first.end, header.seedBytes, stamp.size)
  const tailStart = Math.max(own.offset + own.bytes.length, stamp.size - WINDOW)
  const tail = await readBytes(file, tailStart, stamp.size - tailStart)
  const gapless = tailStart === own.offset + own.bytes.length
  if (gapless) lookThrough(tail.length > 0 ? Buffer.concat([own.bytes, tail]) : own.bytes, seedLength, seen)
  const settled = gapless || lookAcrossGap(own.bytes, tail, seedLength, seen)
  const last = tail.at(-1) ?? own.bytes.at(-1) ?? head.at(-1)
  return {
    place,
    header,
    ...(problem ? { problem } : {}),
    ...(seen.title === undefined ? {} : { title: seen.title }),
    ...(seen.firstPrompt === undefined ? {} : { firstPrompt: seen.firstPrompt }),
    settled,
    updatedAt: seen.lastTime ?? header.createdAt,
    status: problem || seen.failed ? 'failed' : 'cold',
    openTurn: seen.openTurn,
    cutTail: last !== NEWLINE,
    waiting: seen.inbox.nextTurn.some((message) => promptText(message) !== undefined),
    file: stamp,
  }
}

/** The bytes where a session's own events begin: behind the header, or behind the seed. */
async function ownBeginning(
  file: FileHandle,
  head: Buffer,
  headerEnd: number,
  seedBytes: number | undefined,
  size: number,
) {
  const start = seedBytes !== undefined && seedBytes > headerEnd && seedBytes <= size ? seedBytes : headerEnd
  if (start < head.length) return { offset: start, bytes: head.subarray(start) }
  return { offset: start, bytes: await readBytes(file, start, Math.min(WINDOW, size - start)) }
}

/**
 * Beginning and end with an unread middle: the first prompt comes from the beginning only, the title from the end if it
 * is there, the turn at hand from the end only.
 * @returns true if both title and first prompt are certain.
 */
function lookAcrossGap(beginning: Buffer, tail: Buffer, seedLength: number, seen: Sighting): boolean {
  lookThrough(beginning, seedLength, seen)
  const { title, firstPrompt } = seen
  seen.title = undefined
  seen.openTurn = seen.worked = seen.failed = false
  seen.inbox = emptyInbox()
  // What stands before the first newline is the end of a line that began in the unread part.
  lookThrough(tail.subarray(tail.indexOf(NEWLINE) + 1), seedLength, seen)
  const titleIsLast = seen.title !== undefined
  seen.title ??= title
  seen.firstPrompt = firstPrompt
  return titleIsLast && firstPrompt !== undefined
}
