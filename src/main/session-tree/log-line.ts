import type { SessionEvent } from '../../shared/session-event.ts'
import { asRecord } from './event.ts'
import { isPackedType, mergeRow, readPackedRow } from './packed-row.ts'
import { closeJson, shortenStrings } from './json-preview.ts'
import type { LogLine } from './session-tree.ts'

/** Longer texts inside an event are shown cut; the log in an editor has them whole. */
const LONGEST_TEXT = 64 * 1024
/** How much of a line that cannot be read is shown. */
const LONGEST_BAD_TEXT = 2000

/** A line of a log as bytes, without its newline. */
interface RawLine {
  readonly bytes: Buffer
  readonly offset: number
  /** The real length, which may be more than `bytes` holds. */
  readonly length: number
}

/**
 * One line as a viewer shows it, tolerant: what cannot be read stands in place with the reason (field faults F04, F05).
 * A bad byte is drawn as U+FFFD and spoils its own line at most.
 * @returns undefined for a blank line, which is passed over.
 */
export function toLogLine(line: RawLine): LogLine | undefined {
  const { offset, length } = line
  const text = line.bytes.toString('utf8')
  if (text.trim() === '') return undefined
  const bad = (reason: string): LogLine => ({
    kind: 'bad',
    offset,
    bytes: length,
    reason,
    text: text.slice(0, LONGEST_BAD_TEXT).replaceAll('\0', '\u2400'),
  })
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return bad(reasonFor(line.bytes))
  }
  const event = toEvent(parsed)
  if (typeof event === 'string') return bad(event)
  if (length <= LONGEST_TEXT) return { kind: 'event', offset, bytes: length, event }
  const shortened = shortenStrings(event.data, LONGEST_TEXT)
  return {
    kind: 'event',
    offset,
    bytes: length,
    event: { ...event, data: shortened.value },
    ...(shortened.cut ? { cut: true } : {}),
  }
}

/**
 * A line too long to be held, from its first bytes: shown in its own shape with what follows left out.
 * @param beginning cut anywhere, also within a character.
 */
export function longLogLine(line: RawLine): LogLine {
  const { offset, length } = line
  const beginning = line.bytes.toString('utf8').replace(/\uFFFD+$/, '')
  const closed = closeJson(beginning)
  const event = closed === undefined ? 'cut' : toEvent(JSON.parse(closed))
  if (typeof event !== 'string') {
    const { value } = shortenStrings(event.data, LONGEST_TEXT)
    return { kind: 'event', offset, bytes: length, event: { ...event, data: value ?? {} }, cut: true }
  }
  const reason = 'Too long to be shown here. Open the log in an editor.'
  return { kind: 'bad', offset, bytes: length, reason, text: beginning.slice(0, LONGEST_BAD_TEXT) }
}

function reasonFor(bytes: Buffer): string {
  if (bytes.every((byte) => byte === 0)) return 'Zero bytes instead of a record.'
  if (bytes.includes(0)) return 'Zero bytes within the line: it may be UTF-16, which is not UTF-8, or damaged.'
  return 'Not valid JSON: a record is cut, or two are on one line.'
}

/** The event a parsed line stands for, or why it is none. Strictness is the loader's: here only what is shown must be there. */
function toEvent(parsed: unknown): SessionEvent | string {
  const record = asRecord(parsed)
  if (!record) return 'Not a record: a line must hold one JSON object.'
  if (isPackedType(record['type'])) {
    const row = readPackedRow(record)
    return typeof row === 'string' ? `The packed row ${row}.` : mergeRow(row)
  }
  return looksLikeEvent(record) ? record : 'Not an event: type, seq or time is missing.'
}

function looksLikeEvent(record: object): record is SessionEvent {
  return (
    'type' in record &&
    typeof record.type === 'string' &&
    'seq' in record &&
    typeof record.seq === 'number' &&
    'time' in record &&
    typeof record.time === 'number'
  )
}
