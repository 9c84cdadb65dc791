import type { FoldedRecord } from './boundary-fold.ts'
import { asRecord, envelopeFault, isEnvelope, isUnderstood, KNOWN_EVENT_TYPES } from './event.ts'
import { holdsAt, peekEvent, peekPosition, type EventPeek } from './event-peek.ts'
import type { LineBytes } from './line-scan.ts'
import { isPackedType, readPackedRow } from './packed-row.ts'
import type { SessionEvent } from '../../shared/session-event.ts'

/*
 * What is looked for in every line has at most seven bytes: for longer needles Node builds a table for each search, which
 * costs more than the searching (measured). A first byte that is rare in texts makes it faster still.
 */
const NEXT_SEQ = Buffer.from(',"seq":')
const CALL_BLOCK_TAIL = Buffer.from('-call"')
const CALL_BLOCK = Buffer.from('"type":"tool-call"')
const BLOCK_ID = Buffer.from(',"id":"')
/** Where DSH writes the id of a call and of a result: right behind turn and step. */
const CALL_ID = [Buffer.from(',"callId":"'), Buffer.from(',"message":{"source":{"kind":"tool","callId":"')]
/** Elsewhere it stands among the first fields. */
const ANY_CALL_ID = /"(?:callId|toolCallId)":"([^"\\]+)"/
const CALL_ID_WITHIN = 1024
const LONGEST_ID = 512
const STEP_END = Buffer.from('"step/end"')
const TURN_END = Buffer.from('"turn/end"')
const APPENDED = Buffer.from(',"surfaceOp":"append"')
const IGNORABLE = Buffer.from(',"ignorable":true')

const CLOSING_BRACE = 0x7d
const QUOTE = 0x22
const BACKSLASH = 0x5c

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
  const blocks = createSearch((buffer, from) => buffer.indexOf(CALL_BLOCK_TAIL, from))
  return {
    read(line) {
      const peeked = peekEvent(line.buffer, line.start, line.end)
      if (!line.whole) return peeked ? readLong(line, peeked) : 'is too long to be checked'
      const isPlain =
        peeked &&
        endsLikeARecord(line) &&
        seqs.next(line, peeked.data) === undefined &&
        zeros.next(line, line.start) === undefined
      return isPlain ? (readPlain(line, peeked, blocks) ?? readParsed(line)) : readParsed(line)
    },
  }
}

/** True for a line that holds nothing but blanks. */
export function isBlank({ buffer, start, end }: LineBytes): boolean {
  let at = start
  while (at < end && isSpace(buffer[at])) at++
  return at === end
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d
}

/** True if a damaged line may hold the end of a step or turn. */
export function mayHoldEnd({ buffer, start, end }: LineBytes): boolean {
  const bytes = buffer.subarray(start, end)
  return bytes.includes(STEP_END) || bytes.includes(TURN_END)
}

/** The record where the bytes tell enough; undefined where the line must be parsed. */
function readPlain(line: LineBytes, { type, seq, time, data }: EventPeek, blocks: Search): FoldedRecord | undefined {
  if (!KNOWN_EVENT_TYPES.has(type)) return undefined
  const { buffer, end } = line
  switch (type) {
    case 'turn/start':
    case 'turn/end':
    case 'step/start':
    case 'step/end': {
      const at = peekPosition(buffer, data, end)
      if (!at) return undefined
      return at.step === undefined
        ? { type, seq, time, count: 1, turn: at.turn }
        : { type, seq, time, count: 1, turn: at.turn, step: at.step }
    }
    case 'tool/call': {
      const call = callIdIn(line, data)
      return call === undefined ? undefined : { type, seq, time, count: 1, asks: [call] }
    }
    case 'tool/result': {
      const answers = callIdIn(line, data)
      return answers === undefined ? undefined : { type, seq, time, count: 1, answers }
    }
    case 'assistant/message': {
      const asks = callBlocksIn(line, data, blocks)
      return asks && { type, seq, time, count: 1, asks }
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
  const call = callIdIn(line, data)
  if (call === undefined) return 'is too long to be checked'
  return type === 'tool/call' ? { ...record, asks: [call] } : { ...record, answers: call }
}

/** The id that a call or a result names first; quotes inside texts are escaped, so these bytes are a key. */
function callIdIn({ buffer, end }: LineBytes, data: number): string | undefined {
  const position = peekPosition(buffer, data, end)
  for (const key of position ? CALL_ID : []) {
    if (position && holdsAt(buffer, position.end, end, key)) return plainText(buffer, position.end + key.length, end)
  }
  return ANY_CALL_ID.exec(buffer.toString('utf8', data, Math.min(end, data + CALL_ID_WITHIN)))?.[1]
}

/** The ids of the calls that a message asks for; undefined where one does not stand as DSH writes it. */
function callBlocksIn(line: LineBytes, data: number, blocks: Search): string[] | undefined {
  const { buffer, end } = line
  const ids: string[] = []
  for (let at = blocks.next(line, data); at !== undefined; at = blocks.next(line, at + 1)) {
    const behind = at + CALL_BLOCK_TAIL.length
    if (!holdsAt(buffer, behind - CALL_BLOCK.length, end, CALL_BLOCK)) continue
    const id = holdsAt(buffer, behind, end, BLOCK_ID) ? plainText(buffer, behind + BLOCK_ID.length, end) : undefined
    if (id === undefined) return undefined
    ids.push(id)
  }
  return ids
}

/** A short text without escapes, up to its closing quote. */
function plainText(buffer: Buffer, start: number, end: number): string | undefined {
  for (let at = start; at < Math.min(end, start + LONGEST_ID); at++) {
    if (buffer[at] === BACKSLASH) return undefined
    if (buffer[at] === QUOTE) return buffer.toString('utf8', start, at)
  }
  return undefined
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
 * Records end in `}}` (data, or a replacing surfaceOp), in `,"surfaceOp":"append"}`, in `,"ignorable":true}` or in a list
 * of numbers. Anything else, such as a record cut inside a nested value, is parsed to be sure.
 */
function endsLikeARecord({ buffer, start, end }: LineBytes): boolean {
  let last = end - 1
  while (last > start && isSpace(buffer[last])) last--
  if (buffer[last] !== CLOSING_BRACE) return false
  if (buffer[last - 1] === CLOSING_BRACE) return true
  return [APPENDED, IGNORABLE].some((ending) => holdsAt(buffer, last - ending.length, last, ending))
}

interface Search {
  /** Where the next hit from `from` on stands, if it is within the line. */
  next(line: LineBytes, from: number): number | undefined
}

/** Looks once through each chunk, however many lines it holds: a hit is remembered until lines have passed it. */
function createSearch(find: (buffer: Buffer, from: number) => number): Search {
  let chunk = -1
  let hit = -1
  return {
    next({ buffer, offset, start, end }, from) {
      // A buffer is filled again and again: what it holds now is known by where in the file it begins.
      const base = offset - start
      if (base !== chunk || (hit !== -1 && hit < from)) {
        chunk = base
        hit = find(buffer, from)
      }
      return hit !== -1 && hit < end ? hit : undefined
    },
  }
}
