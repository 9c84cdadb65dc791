import type { FileHandle } from 'node:fs/promises'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import { asRecord, isEnvelope } from './event.ts'
import { findNewlineBefore, readBytes } from './log-file.ts'
import { isPackedType, readPackedRow } from './packed-row.ts'

/** Where a log ends, as a writer sees it. */
export interface LogTail {
  /** One past the last newline: all records end here. */
  readonly committed: number
  /** The seq of the last record; -1 if there is only a header. */
  readonly lastSeq: number
  /** What stands behind the last newline: nothing, a whole record that only lacks its newline, or the torn rest of one. */
  readonly rest: 'none' | 'record' | 'torn'
}

/**
 * Reads a log's end backwards, no further than its last record's line.
 * @param headerEnd one past the header's newline.
 * @returns the tail, or `log_damaged` if the last newline-ended line is no record: appending behind damage would bury it.
 */
export async function readTail(
  file: FileHandle,
  size: number,
  headerEnd: number,
  path: string,
): Promise<Result<LogTail>> {
  const committed = (await findNewlineBefore(file, size)) + 1
  let end = committed
  let lastSeq = -1
  // Blank lines are passed over: they are no records and do no harm.
  while (end > headerEnd) {
    const start = Math.max(headerEnd, (await findNewlineBefore(file, end - 1)) + 1)
    const text = (await readBytes(file, start, end - start)).toString('utf8').trim()
    if (text !== '') {
      const seq = lastSeqOf(text)
      if (seq === undefined) {
        return fail(
          toolError(
            'log_damaged',
            `The last line of ${path} is damaged, so nothing is written behind it. Open the log in an editor and remove that line.`,
            { path },
          ),
        )
      }
      lastSeq = seq
      break
    }
    end = start
  }
  if (committed === size) return ok({ committed, lastSeq, rest: 'none' })
  const rest = (await readBytes(file, committed, size - committed)).toString('utf8')
  return ok({ committed, lastSeq, rest: isNextRecord(rest, lastSeq + 1) ? 'record' : 'torn' })
}

/** The seq of the last event that a line stands for; undefined if it is no record. */
function lastSeqOf(text: string): number | undefined {
  const record = asRecord(parse(text))
  if (!record) return undefined
  if (isPackedType(record['type'])) {
    const row = readPackedRow(record)
    return typeof row === 'string' ? undefined : row.seq + row.pieces.length - 1
  }
  return isEnvelope(record) ? record.seq : undefined
}

function isNextRecord(text: string, seq: number): boolean {
  const record = parse(text)
  return isEnvelope(record) && record.seq === seq
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
