import { open, type FileHandle } from 'node:fs/promises'
import { fail, ok, type Result } from '../../../shared/result.ts'
import type { SessionEvent } from '../../../shared/session-event.ts'
import { toolError } from '../../../shared/tool-error.ts'
import { parseDshHeader, type DshHeader } from './dsh-header.ts'
import { damaged, recordScanner } from './record-scanner.ts'
import { readFrames, type PlainPiece } from './zstd-frames.ts'
import type { ZstdDecoder } from './zstd-decoder.ts'

/** A log of DSH's own: where it is and how its bytes are stored. */
export interface DshLogFile {
  readonly path: string
  readonly encoding: 'plain' | 'zstd'
}

export interface ReadDshOptions {
  readonly signal?: AbortSignal | undefined
  /** Which zstd to use; absent: the best this runtime has. */
  readonly decoder?: ZstdDecoder | undefined
}

const LINE_FEED = 0x0a
const PIECE = 256 * 1024
/** A header holds a few hundred bytes; a file without a line end in so many is no log. */
const LONGEST_HEADER = 1024 * 1024
/** Near what one JavaScript string can hold: a longer record cannot be parsed at all. */
const LONGEST_RECORD = 256 * 1024 * 1024

/**
 * Reads only a log's header line.
 * @returns the header; `log_damaged` or `unsupported_version` as {@link parseDshHeader}, `io_failed`, and `log_damaged`
 * where there is no complete first line.
 */
export async function readDshHeader(file: DshLogFile, options: ReadDshOptions = {}): Promise<Result<DshHeader>> {
  for await (const line of readLines(file, options)) {
    return line.ok ? parseDshHeader(line.value.bytes.toString('utf8'), file.path) : line
  }
  return headerless(file.path)
}

/**
 * Streams the stored events of one log, exactly those DSH would load: packed rows unpacked, a torn tail dropped, no
 * closers added. The file is only read, and only as far as it reached when it was opened: its writer may be at work.
 * @returns events with seq 0, 1, 2 …; the first failure ends the stream: `log_damaged`, `unsupported_version`,
 * `io_failed`, `cancelled`.
 */
export async function* readDshEvents(
  file: DshLogFile,
  options: ReadDshOptions = {},
): AsyncGenerator<Result<SessionEvent>> {
  const scanner = recordScanner(file.path)
  let headerSeen = false
  for await (const line of readLines(file, options)) {
    if (!line.ok) {
      yield line
      return
    }
    if (!headerSeen) {
      const header = parseDshHeader(line.value.bytes.toString('utf8'), file.path)
      if (!header.ok) {
        yield header
        return
      }
      headerSeen = true
      continue
    }
    const events = scanner.take(line.value.bytes)
    if (!events.ok) {
      yield events
      return
    }
    const issue = scanner.issue()
    if (issue !== undefined && line.value.intact) {
      // A frame that decoded and passed its checksum was written whole: what is wrong in it is no torn tail.
      yield damaged(file.path, issue)
      return
    }
    for (const event of events.value) yield ok(event)
  }
  if (!headerSeen) yield headerless(file.path)
}

interface Line {
  readonly bytes: Buffer
  /** True for a record that stands in a complete zstd frame. */
  readonly intact: boolean
}

/** The log's records without their line feeds. A last one without a line feed does not exist (dsh-format §2). */
async function* readLines(file: DshLogFile, options: ReadDshOptions): AsyncGenerator<Result<Line>> {
  let handle: FileHandle | undefined
  try {
    handle = await open(file.path, 'r')
    const { size } = await handle.stat()
    const pieces =
      file.encoding === 'zstd' ? readFrames(handle, size, file.path, options.decoder) : readPieces(handle, size)
    yield* splitLines(pieces, file, options.signal)
  } catch (error) {
    yield unreadable(file.path, error)
  } finally {
    await handle?.close()
  }
}

async function* splitLines(
  pieces: AsyncIterable<Result<PlainPiece>>,
  file: DshLogFile,
  signal: AbortSignal | undefined,
): AsyncGenerator<Result<Line>> {
  const zstd = file.encoding === 'zstd'
  let kept: Buffer[] = []
  let keptBytes = 0
  let lines = 0
  let tornSeen = false
  for await (const piece of pieces) {
    if (signal?.aborted) {
      yield cancelled()
      return
    }
    if (!piece.ok) {
      yield piece
      return
    }
    const { bytes, frame, torn } = piece.value
    // A cut record at the end of the complete frames, or a header that has no complete frame of its own.
    if (torn && !tornSeen && keptBytes > 0) break
    if (zstd && lines === 0 && (torn || frame > 0)) break
    tornSeen ||= torn
    let from = 0
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, from)) {
      const tail = bytes.subarray(from, end)
      yield ok({ bytes: keptBytes === 0 ? tail : Buffer.concat([...kept, tail]), intact: zstd && !torn })
      lines += 1
      kept = []
      keptBytes = 0
      from = end + 1
      if (zstd && frame === 0 && from < bytes.length) {
        yield damaged(file.path, 'its first zstd frame holds more than the header line')
        return
      }
    }
    if (from < bytes.length) kept.push(bytes.subarray(from))
    keptBytes += bytes.length - from
    if (keptBytes > (lines === 0 ? LONGEST_HEADER : LONGEST_RECORD)) {
      yield damaged(file.path, `line ${lines + 1} is longer than ${keptBytes} bytes`)
      return
    }
  }
  if (zstd && lines > 0 && keptBytes > 0 && !tornSeen) {
    yield damaged(file.path, 'a complete zstd frame ends inside a record')
  }
}

async function* readPieces(handle: FileHandle, size: number): AsyncGenerator<Result<PlainPiece>> {
  for (let at = 0; at < size;) {
    const bytes = Buffer.allocUnsafe(Math.min(PIECE, size - at))
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield ok({ bytes: bytes.subarray(0, bytesRead), frame: 0, torn: false })
  }
}

function cancelled(): Result<never> {
  return fail(toolError('cancelled', 'The import was cancelled. Nothing is half imported.'))
}

function headerless(path: string): Result<never> {
  return fail(
    toolError('log_damaged', `${path} has no complete header line, so there is no session in it to import.`, { path }),
  )
}

function unreadable(path: string, error: unknown): Result<never> {
  const reason = error instanceof Error ? error.message : String(error)
  return fail(toolError('io_failed', `${path} could not be read: ${reason}`, { path }))
}
