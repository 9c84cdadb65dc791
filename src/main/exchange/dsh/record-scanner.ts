import { fail, ok, type Result } from '../../../shared/result.ts'
import type { SessionEvent } from '../../../shared/session-event.ts'
import { toolError } from '../../../shared/tool-error.ts'
import { asRecord, envelopeFault, isUnderstood } from '../../session-tree/event.ts'
import { isPackedType, readPackedRow, unpackRow } from '../../session-tree/packed-row.ts'

/** Reads the records behind a log's header, one after the other, as DSH's own scanner does (dsh-format §2). */
export interface RecordScanner {
  /**
   * Takes one record, without its line feed.
   * @returns its events. None for a bad record and all that follow it, since they may be a torn tail; `log_damaged`
   * once a `turn/end` behind a bad record proves that it is none, and for an event whose envelope DSH refuses;
   * `unknown_event` for one that DSH does not know and may not skip.
   */
  take(record: Buffer): Result<readonly SessionEvent[]>
  /** What is wrong from here on; undefined while every record was sound. */
  issue(): string | undefined
}

/** Starts a scanner for the log at `path`, which failures name. */
export function recordScanner(path: string): RecordScanner {
  let line = 1
  let nextSeq = 0
  let issue: string | undefined

  function take(record: Buffer): Result<readonly SessionEvent[]> {
    line += 1
    const events = decode(record)
    if (issue === undefined) {
      issue = problemOf(events, line, nextSeq)
      if (issue === undefined && events) {
        nextSeq += events.length
        return understood(events, line, path)
      }
    }
    return events?.some((event) => event.type === 'turn/end') ? damaged(path, issue ?? '') : ok([])
  }

  return { take, issue: () => issue }
}

/** Says that a log is damaged where a torn tail cannot be the reason. */
export function damaged(path: string, why: string): Result<never> {
  return fail(
    toolError(
      'log_damaged',
      `${path} is damaged: ${why}. It was not imported, as DSH would not load it either; the file was left as it is.`,
      { path },
    ),
  )
}

/** A record's JSON, before anything but its `seq` has been looked at. */
type Stored = SessionEvent | Readonly<Record<string, unknown>>

function decode(record: Buffer): readonly Stored[] | undefined {
  let value: unknown
  try {
    value = JSON.parse(record.toString('utf8'))
  } catch {
    return undefined
  }
  const fields = asRecord(value)
  if (!fields) return undefined
  if (!isPackedType(fields['type'])) return [fields]
  const row = readPackedRow(fields)
  return typeof row === 'string' ? undefined : unpackRow(row)
}

function problemOf(events: readonly Stored[] | undefined, line: number, nextSeq: number): string | undefined {
  if (!events) return `line ${line} is not a record`
  for (const [place, event] of events.entries()) {
    if (event.seq !== nextSeq + place) {
      return `line ${line} has seq ${String(event.seq)} where ${nextSeq + place} is due`
    }
  }
  return undefined
}

/** The events, or what DSH refuses a whole log for once its records are whole and in order. */
function understood(events: readonly Stored[], line: number, path: string): Result<readonly SessionEvent[]> {
  const sound: SessionEvent[] = []
  for (const event of events) {
    if (!isEvent(event)) return damaged(path, `the event in line ${line} ${envelopeFault(event) ?? ''}`)
    if (!isUnderstood(event)) return unknownEvent(event, path)
    sound.push(event)
  }
  return ok(sound)
}

function isEvent(stored: Stored): stored is SessionEvent {
  return envelopeFault(stored) === undefined
}

function unknownEvent(event: SessionEvent, path: string): Result<never> {
  return fail(
    toolError(
      'unknown_event',
      `${path} has an event of type "${event.type}" (seq ${event.seq}), which DSH 0.1.0-rc.8 does not know and may not skip: ` +
        'the log was written by another version of DSH. It was not imported; the file was left as it is.',
      { path },
    ),
  )
}
