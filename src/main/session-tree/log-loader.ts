import { open, type FileHandle } from 'node:fs/promises'
import { fail, ok, type Result } from '../../shared/result.ts'
import type { SessionEvent } from '../../shared/session-event.ts'
import { toolError, type ToolError } from '../../shared/tool-error.ts'
import { asRecord, envelopeFault, isEnvelope, isUnderstood } from './event.ts'
import { linesForwards } from './line-spans.ts'
import { readBytes, readFailure, readSoundHeader, withLog } from './log-file.ts'
import { isPackedType, readPackedRow, unpackRow } from './packed-row.ts'
import type { LoadedLog, SessionPlace } from './session-tree.ts'

/**
 * Opens a log for reading it whole, strictly: the header and its agreement with the layout now, each event as it comes.
 * The file is open only while the events are iterated.
 */
export function loadLog(place: SessionPlace): Promise<Result<LoadedLog>> {
  return withLog(place, async (log) => {
    const opening = await readSoundHeader(log, place)
    if (!opening.ok) return opening
    const { header, end } = opening.value
    return ok({ place, header, events: eventsOf(place, end) })
  })
}

async function* eventsOf(place: SessionPlace, headerEnd: number): AsyncGenerator<Result<SessionEvent>> {
  let file: FileHandle | undefined
  try {
    file = await open(place.logPath, 'r')
    const { size } = await file.stat()
    for await (const results of checkedLines(file, headerEnd, size, place.logPath)) {
      for (const result of results) {
        yield result
        if (!result.ok) return
      }
    }
  } catch (error) {
    yield fail(readFailure(error, place))
  } finally {
    await file?.close()
  }
}

/** The events of each line in turn; the first failure is the last result that counts. */
async function* checkedLines(file: FileHandle, from: number, size: number, path: string) {
  let number = 1
  let expected = 0
  for await (const batch of batches(file, from, size)) {
    for (const text of batch) {
      number++
      if (text.trim() === '') continue
      const events = decodeLine(text)
      if (typeof events === 'string') {
        yield [fail(damage(path, number, events))]
        continue
      }
      const first = expected
      yield events.map((event, index) => {
        const fault = eventFault(event, first + index, path, number)
        return fault ? fail(fault) : ok(event)
      })
      expected += events.length
    }
  }
}

/** The texts of the newline-ended lines, some at a time; what stands behind the last newline is no record yet. */
async function* batches(file: FileHandle, from: number, size: number): AsyncGenerator<string[]> {
  let start = from
  let end = from
  for await (const line of linesForwards(file, from, size)) {
    end = line.offset + line.length + 1
    if (end - start < BATCH) continue
    yield linesIn(await readBytes(file, start, end - start))
    start = end
  }
  if (end > start) yield linesIn(await readBytes(file, start, end - start))
}

/** Only LF ends a line: U+2028 and the like are letters of a text (field fault F05). */
function linesIn(bytes: Buffer): string[] {
  const lines = bytes.toString('utf8').split('\n')
  lines.pop()
  return lines
}

const BATCH = 256 * 1024

function decodeLine(text: string): SessionEvent[] | string {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return 'is not valid JSON'
  }
  const record = asRecord(parsed)
  if (record && isPackedType(record['type'])) {
    const row = readPackedRow(record)
    return typeof row === 'string' ? `is a packed row that ${row}` : unpackRow(row)
  }
  return isEnvelope(parsed) ? [parsed] : `holds an event that ${envelopeFault(parsed)}`
}

function damage(path: string, line: number, what: string): ToolError {
  return toolError('log_damaged', `Line ${line} of ${path} ${what}. Open the log in an editor to mend or remove it.`, {
    path,
  })
}

function eventFault(event: SessionEvent, expected: number, path: string, line: number): ToolError | undefined {
  if (event.seq !== expected) {
    return toolError(
      'log_damaged',
      `Line ${line} of ${path} has seq ${event.seq} where ${expected} was expected. Open the log in an editor to mend it.`,
      { path, field: 'seq' },
    )
  }
  if (isUnderstood(event)) return undefined
  return toolError(
    'unknown_event',
    `${path} contains event type "${event.type}" (seq ${event.seq}), which is unknown here and not marked ignorable: the log was likely written by a newer program. Update Treeline, or open the log in an editor.`,
    { path },
  )
}
