import type { FileHandle } from 'node:fs/promises'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import { foldBoundary } from './boundary-fold.ts'
import { createRecordReader, isBlank, mayHoldEnd } from './boundary-record.ts'
import { scanLines } from './line-scan.ts'
import { readSoundHeader, withLog, type LogFile } from './log-file.ts'
import type { Boundary, ByteRange, SessionPlace } from './session-tree.ts'
import { createStamped } from './stamped.ts'

/** So many boundaries are kept in mind: a dialog asks for one before the fork itself does. */
const REMEMBERED = 16

/** {@link findBoundary} that answers at once as long as a log is what it was. */
export function createBoundaryFinder(): (place: SessionPlace) => Promise<Result<Boundary>> {
  const remembered = createStamped<Boundary>(REMEMBERED)
  return (place) =>
    withLog(place, async (log) => {
      const known = remembered.get(place.logPath, log)
      if (known) return ok(known)
      const found = await boundaryOf(log, place)
      if (found.ok) remembered.note(place.logPath, log, found.value)
      return found
    })
}

/**
 * Finds where a fork of this log is cut now (spec §3.2, design §3). The prefix is checked by a scan of bytes, so it takes
 * a tenth of a second for 200 MB, and memory does not grow with the log. What another program appends meanwhile is not
 * looked at; a last line without its newline is no record.
 * @returns `ambiguous_boundary` with the line in doubt; the header's own problem; `log_missing`; `io_failed`.
 */
export function findBoundary(place: SessionPlace): Promise<Result<Boundary>> {
  return withLog(place, (log) => boundaryOf(log, place))
}

async function boundaryOf(log: LogFile, place: SessionPlace): Promise<Result<Boundary>> {
  const opening = await readSoundHeader(log, place)
  return opening.ok ? scan(log.file, opening.value.end, log.size, place.logPath) : opening
}

async function scan(file: FileHandle, from: number, size: number, path: string): Promise<Result<Boundary>> {
  const fold = foldBoundary()
  const reader = createRecordReader()
  const blanks: ByteRange[] = []
  let number = 1
  await scanLines(file, { from, to: size }, (line) => {
    number++
    const end = line.offset + line.bytes + 1
    if (isBlank(line)) {
      addRange(blanks, { from: line.offset, to: end })
      return true
    }
    const record = reader.read(line)
    if (typeof record === 'string') fold.damage({ line: number, what: record }, mayHoldEnd(line))
    else fold.record(record, number, end)
    return !fold.isDecided()
  })
  const result = fold.result()
  if ('ambiguous' in result) {
    const { line, what } = result.ambiguous
    return fail(
      toolError(
        'ambiguous_boundary',
        `${path} cannot be forked: line ${line} ${what}, and a finished step or turn follows, so it is not certain where the conversation stands. Open the log in an editor and mend or remove that line, then fork again.`,
        { path },
      ),
    )
  }
  if (!result.boundary) return ok({ seedLength: 0, from, to: from })
  const { to } = result.boundary
  const inside = blanks.filter((blank) => blank.to <= to)
  return ok({ from, ...result.boundary, ...(inside.length > 0 ? { blanks: inside } : {}) })
}

/** Neighbouring blank lines are one range. */
function addRange(ranges: ByteRange[], range: ByteRange): void {
  const last = ranges.at(-1)
  if (last?.to === range.from) ranges[ranges.length - 1] = { from: last.from, to: range.to }
  else ranges.push(range)
}
