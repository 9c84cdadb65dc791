import { open, type FileHandle } from 'node:fs/promises'
import { fail, ok, type Result } from '../../shared/result.ts'
import type { LogHeader } from '../../shared/session-event.ts'
import { toolError, type ToolError } from '../../shared/tool-error.ts'
import { errorCode } from './error-code.ts'
import { readFirstLine, type FirstLine } from './first-line.ts'
import { ioFailure } from './io-failure.ts'
import type { FileStamp, SessionPlace } from './session-tree.ts'
import { toStamp } from './stamped.ts'

/** A header is looked for in so many first bytes. */
const HEADER_WINDOW = 64 * 1024
const BLOCK = 64 * 1024
const NEWLINE = 10

/** A log open for reading. */
export interface LogFile extends FileStamp {
  readonly file: FileHandle
}

/**
 * Opens a log for the time of one reading, and turns what fails into words.
 * @returns what `read` answers, `log_missing`, or `io_failed`.
 * @throws whatever `read` throws that is no system failure.
 */
export async function withLog<Value>(
  place: SessionPlace,
  read: (log: LogFile) => Promise<Result<Value>>,
): Promise<Result<Value>> {
  let file: FileHandle | undefined
  try {
    file = await open(place.logPath, 'r')
    return await read({ file, ...toStamp(await file.stat()) })
  } catch (error) {
    return fail(readFailure(error, place))
  } finally {
    await file?.close()
  }
}

/** Why a log could not be read: `log_missing` or `io_failed`. */
export function readFailure(error: unknown, place: SessionPlace): ToolError {
  const path = place.logPath
  if (errorCode(error) !== 'ENOENT') return ioFailure(error, 'read the log', path)
  return toolError(
    'log_missing',
    `${path} is not there: the session has no log. Restore it from a backup, or remove the session's folder.`,
    { path },
  )
}

/** Reads the first line of a log and what is wrong with it. */
export async function readOpening(
  { file, size }: Pick<LogFile, 'file' | 'size'>,
  place: SessionPlace,
): Promise<FirstLine> {
  return readFirstLine(await readBytes(file, 0, Math.min(HEADER_WINDOW, size)), size, place)
}

/** The header of a log in which header and layout agree, and one past its newline; else what is wrong. */
export async function readSoundHeader(
  log: Pick<LogFile, 'file' | 'size'>,
  place: SessionPlace,
): Promise<Result<{ readonly header: LogHeader; readonly end: number }>> {
  const opening = await readOpening(log, place)
  return opening.problem ? fail(opening.problem) : ok({ header: opening.header, end: opening.end })
}

/** Reads a stretch of a file whole; shorter only where the file ends. */
export async function readBytes(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, offset + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}

/** The offset of the last newline before `end`; -1 if there is none. Holds one block at a time. */
export async function findNewlineBefore(file: FileHandle, end: number): Promise<number> {
  for (let high = end; high > 0;) {
    const low = Math.max(0, high - BLOCK)
    const at = (await readBytes(file, low, high - low)).lastIndexOf(NEWLINE)
    if (at !== -1) return low + at
    high = low
  }
  return -1
}
