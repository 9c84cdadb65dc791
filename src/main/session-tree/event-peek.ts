/** What the first bytes of an event's line say. */
export interface EventPeek {
  readonly type: string
  readonly seq: number
  readonly time: number
  /** Where the value of `data` begins, in the buffer. */
  readonly data: number
}

const OPENING = Buffer.from('{"type":"')
const SEQ = Buffer.from('","seq":')
const TIME = Buffer.from(',"time":')
const DATA = Buffer.from(',"data":')
const TURN = Buffer.from('{"turn":')
const STEP = Buffer.from(',"step":')
const LONGEST_TYPE = 80
const QUOTE = 0x22
const MINUS = 0x2d

/**
 * Reads type, seq and time from the bytes of a line without parsing it. It knows the one order in which DSH and we write
 * (`{"type":…,"seq":…,"time":…,"data":…`); a foreign line in another order gives undefined and must be parsed.
 * Because the four keys stand first, nothing inside `data` can be taken for them.
 * @param end one past the line's last byte.
 */
export function peekEvent(buffer: Buffer, start: number, end: number): EventPeek | undefined {
  if (!holdsAt(buffer, start, end, OPENING)) return undefined
  const typeStart = start + OPENING.length
  const typeEnd = endOfType(buffer, typeStart, Math.min(end, typeStart + LONGEST_TYPE))
  if (typeEnd === typeStart || !holdsAt(buffer, typeEnd, end, SEQ)) return undefined
  const seqStart = typeEnd + SEQ.length
  const seqEnd = endOfDigits(buffer, seqStart, end)
  if (seqEnd === seqStart || !holdsAt(buffer, seqEnd, end, TIME)) return undefined
  const timeStart = seqEnd + TIME.length
  const negative = buffer[timeStart] === MINUS
  const digits = negative ? timeStart + 1 : timeStart
  const timeEnd = endOfDigits(buffer, digits, end)
  if (timeEnd === digits || !holdsAt(buffer, timeEnd, end, DATA)) return undefined
  const time = toNumber(buffer, digits, timeEnd)
  return {
    type: typeName(buffer, typeStart, typeEnd),
    seq: toNumber(buffer, seqStart, seqEnd),
    time: negative ? -time : time,
    data: timeEnd + DATA.length,
  }
}

/** The turn and the step that an event's data begins with, and where it goes on. */
export interface PositionPeek {
  readonly turn: number
  readonly step?: number
  readonly end: number
}

/** Reads `{"turn":…` and `,"step":…` from the beginning of an event's data; undefined where it begins otherwise. */
export function peekPosition(buffer: Buffer, data: number, end: number): PositionPeek | undefined {
  if (!holdsAt(buffer, data, end, TURN)) return undefined
  const turnStart = data + TURN.length
  const turnEnd = endOfDigits(buffer, turnStart, end)
  if (turnEnd === turnStart) return undefined
  const turn = toNumber(buffer, turnStart, turnEnd)
  if (!holdsAt(buffer, turnEnd, end, STEP)) return { turn, end: turnEnd }
  const stepStart = turnEnd + STEP.length
  const stepEnd = endOfDigits(buffer, stepStart, end)
  return stepEnd === stepStart ? undefined : { turn, step: toNumber(buffer, stepStart, stepEnd), end: stepEnd }
}

/** True if these bytes stand at this place, before `end`. */
export function holdsAt(buffer: Buffer, at: number, end: number, expected: Buffer): boolean {
  if (at + expected.length > end) return false
  for (let index = 0; index < expected.length; index++) if (buffer[at + index] !== expected[index]) return false
  return true
}

/** Types seen so far by a hash of their bytes: making a string of each line's type would cost more than all the rest. */
const names = new Map<number, { readonly bytes: Buffer; readonly name: string }>()
const MOST_NAMES = 500

function typeName(buffer: Buffer, start: number, end: number): string {
  let hash = end - start
  for (let at = start; at < end; at++) hash = (hash * 31 + (buffer[at] ?? 0)) | 0
  const known = names.get(hash)
  if (known && known.bytes.length === end - start && holdsAt(buffer, start, end, known.bytes)) return known.name
  const name = buffer.toString('latin1', start, end)
  if (names.size < MOST_NAMES) names.set(hash, { bytes: Buffer.from(name, 'latin1'), name })
  return name
}

/** Types are lower case words joined by `/`, `-`, `_` or `.`; anything else ends the peek. */
function endOfType(buffer: Buffer, start: number, end: number): number {
  let at = start
  for (; at < end; at++) {
    const byte = buffer[at] ?? 0
    const isWord = (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x2d && byte <= 0x39) || byte === 0x5f
    if (!isWord) break
  }
  return buffer[at] === QUOTE ? at : start
}

/** Numbers over 15 digits are left to the parser, which knows what is safe. */
function endOfDigits(buffer: Buffer, start: number, end: number): number {
  let at = start
  while (at < end && isDigit(buffer[at] ?? 0)) at++
  const leadingZero = at - start > 1 && buffer[start] === 0x30
  return at - start > 15 || leadingZero ? start : at
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}

function toNumber(buffer: Buffer, start: number, end: number): number {
  let value = 0
  for (let at = start; at < end; at++) value = value * 10 + ((buffer[at] ?? 0) - 0x30)
  return value
}
