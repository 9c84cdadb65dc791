import type { FoldedRecord } from './boundary-fold.ts'
import { asRecord, envelopeFault, isEnvelope, isUnderstood, KNOWN_EVENT_TYPES } from './event.ts'
import { peekEvent, type EventPeek } from './event-peek.ts'
import type { LineBytes } from './line-scan.ts'
import { isPackedType, readPackedRow } from './packed-row.ts'
import type { SessionEvent } from '../../shared/session-event.ts'

const NEXT_SEQ = Buffer.from(',"seq":')
const TOOL_CALL = Buffer.from('"type":"tool-call"')
const ENDS = [Buffer.from('"step/end"'), Buffer.from('"turn/end"')]
/** A call's id stands among the first fields of its event. */
const CALL_ID = /"(?:callId|toolCallId)":"([^"\\]+)"/
const CALL_ID_WITHIN = 1024

const CLOSING_BRACE = 0x7d
const BLANKS: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0d])

/**
 * Takes the records of a log for the boundary from their bytes. Only what the boundary depends on is parsed, and what looks
 * odd: a line whose keys stand in another order, one that does not end as a record does, one that holds a second record's
 * beginning, zero bytes.
 */
export interface RecordReader {
  /** The record, or a clause that follows "line N" and says what is wrong with it. */
  read(line: LineBytes): FoldedRecord | string
}

export function createRecordReader(): RecordReader {
  const zeros = createSearch((buffer, from) => buffer.indexOf(0, from))
  const seqs = createSearch((buffer, from) => buffer.indexOf(NEXT_SEQ, from))
  return {
    read(line) {
      const peeked = peekEvent(line.buffer, line.start, line.end)
      if (!line.whole) return peeked ? readLong(line, peeked) : 'is too long to be checked'
      const isPlain =
        peeked && endsLikeARecord(line) && !seqs.within(line, peeked.data) && !zeros.within(line, line.start)
      return isPlain ? (readPlain(line, peeked) ?? readParsed(line)) : readParsed(line)
    },
  }
}

/** True for a line that holds nothing but blanks. */
export function isBlank({ buffer, start, end }: LineBytes): boolean {
  let at = start
  while (at < end && BLANKS.has(buffer[at])) at++
  return at === end
}

/** True if a damaged line may hold the end of a step or turn. */
export function mayHoldEnd({ buffer, start, end }: LineBytes): boolean {
  const bytes = buffer.subarray(start, end)
  return ENDS.some((mark) => bytes.includes(mark))
}

/** The record where the bytes tell enough; undefined where the line must be parsed. */
function readPlain(line: LineBytes, peeked: EventPeek): FoldedRecord | undefined {
  const { type, seq, time } = peeked
  if (!KNOWN_EVENT_TYPES.has(type)) return undefined
  switch (type) {
    case 'turn/start':
    case 'turn/end':
    case 'step/start':
    case 'step/end':
    case 'tool/call':
      return undefined
    case 'assistant/message':
      return line.buffer.subarray(peeked.data, line.end).includes(TOOL_CALL) ? undefined : { type, seq, time, count: 1 }
    case 'tool/result': {
      const answers = callIdIn(line, peeked)
      return answers === undefined ? undefined : { type, seq, time, count: 1, answers }
    }
    default:
      return { type, seq, time, count: 1 }
  }
}

/** A line too long to be held is known by its beginning. What a long message asks for, its `tool/call` events ask for too. */
function readLong(line: LineBytes, { type, seq, time, data }: EventPeek): FoldedRecord | string {
  const record = { type, seq, time, count: 1 }
  if (!KNOWN_EVENT_TYPES.has(type)) return 'is too long to be checked'
  if (type !== 'tool/call' && type !== 'tool/result') return record
  const call = callIdIn(line, { data })
  if (call === undefined) return 'is too long to be checked'
  return type === 'tool/call' ? { ...record, asks: [call] } : { ...record, answers: call }
}

function callIdIn(line: LineBytes, { data }: Pick<EventPeek, 'data'>): string | undefined {
  return CALL_ID.exec(line.buffer.toString('latin1', data, Math.min(line.end, data + CALL_ID_WITHIN)))?.[1]
}

function readParsed(line: LineBytes): FoldedRecord | string {
  let parsed: unknown
  try {
    parsed = JSON.parse(line.buffer.toString('utf8', line.start, line.end))
  } catch {
    return 'is damaged: it is not one whole record'
  }
  const record = asRecord(parsed)
  if (record && isPackedType(record['type'])) {
    const row = readPackedRow(record)
    if (typeof row === 'string') return `holds a packed row that ${row}`
    return { type: 'assistant/chunk', seq: row.seq, time: row.time, count: row.pieces.length }
  }
  if (!isEnvelope(parsed)) return `holds an event that ${envelopeFault(parsed)}`
  const { type, seq, time } = parsed
  if (!isUnderstood(parsed)) return `holds event type "${type}", which is unknown here and not marked ignorable`
  return { type, seq, time, count: 1, ...marksOf(parsed) }
}

function marksOf({ type, data }: SessionEvent): Partial<FoldedRecord> {
  const fields = asRecord(data)
  const message = asRecord(fields?.['message'])
  const { turn, step, callId } = fields ?? {}
  const at = {
    ...(typeof turn === 'number' ? { turn } : {}),
    ...(typeof step === 'number' ? { step } : {}),
  }
  if (type === 'tool/call') return { ...at, ...(typeof callId === 'string' ? { asks: [callId] } : {}) }
  if (type === 'tool/result') {
    const answers = asRecord(message?.['source'])?.['callId']
    return { ...at, ...(typeof answers === 'string' ? { answers } : {}) }
  }
  if (type !== 'assistant/message' || !Array.isArray(message?.['content'])) return at
  const asks = message['content'].flatMap((block: unknown) => {
    const { type: kind, id } = asRecord(block) ?? {}
    return kind === 'tool-call' && typeof id === 'string' ? [id] : []
  })
  return { ...at, asks }
}

/**
 * Records end in `}}` (data, or a replacing surfaceOp), in `"append"}`, in `]}` or in `true}`. Anything else, such as a
 * record cut inside a nested value, is parsed to be sure.
 */
function endsLikeARecord({ buffer, start, end }: LineBytes): boolean {
  let last = end - 1
  while (last > start && BLANKS.has(buffer[last])) last--
  if (buffer[last] !== CLOSING_BRACE) return false
  if (buffer[last - 1] === CLOSING_BRACE) return true
  return /(?:"surfaceOp":"append"|"sourceEventSeqs":\[[\d,]*\]|"ignorable":true)$/.test(
    buffer.toString('latin1', Math.max(start, last - 200), last),
  )
}

interface Search {
  /** True if the next hit from `from` on lies within the line. */
  within(line: LineBytes, from: number): boolean
}

/** Looks once through each chunk, however many lines it holds: a hit is remembered until lines have passed it. */
function createSearch(find: (buffer: Buffer, from: number) => number): Search {
  let chunk = -1
  let next = -1
  return {
    within({ buffer, offset, start, end }, from) {
      // A buffer is filled again and again: what it holds now is known by where in the file it begins.
      const base = offset - start
      if (base !== chunk || (next !== -1 && next < from)) {
        chunk = base
        next = find(buffer, from)
      }
      return next !== -1 && next < end
    },
  }
}
