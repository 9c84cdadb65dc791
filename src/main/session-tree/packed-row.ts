import type { SessionEvent } from '../../shared/session-event.ts'
import { asRecord } from './event.ts'

/** DSH's storage rows for runs of streamed pieces (dsh-format §7). We read them and never write them. */
const PAYLOAD: Readonly<Record<string, 'texts' | 'args'>> = {
  'text-chunks': 'texts',
  'reasoning-chunks': 'texts',
  'tool-call-chunks': 'args',
}

interface PackedRow {
  readonly type: string
  readonly seq: number
  readonly time: number
  readonly turn: number
  readonly step: number
  readonly index: number
  readonly call?: { readonly id: string; readonly name?: string }
  readonly gaps: readonly number[]
  readonly pieces: readonly string[]
}

/** True if a line of this type is a packed row and no event. */
export function isPackedType(type: unknown): boolean {
  return typeof type === 'string' && Object.hasOwn(PAYLOAD, type)
}

/**
 * Reads a packed row, exactly as strictly as DSH: any other key, type or count makes it malformed.
 * @returns the row, or the reason it is malformed, to follow "the row".
 */
export function readPackedRow(value: Readonly<Record<string, unknown>>): PackedRow | string {
  const type = String(value['type'])
  const payload = PAYLOAD[type]
  const data = asRecord(value['data'])
  if (!payload || !data || !hasExactly(value, ['type', 'seq0', 'time0', 'data']))
    return 'has other fields than a packed row'
  const named = payload === 'args' && Object.hasOwn(data, 'name')
  const keys = [
    'turn',
    'step',
    'index',
    'dt',
    payload,
    ...(payload === 'args' ? ['id'] : []),
    ...(named ? ['name'] : []),
  ]
  if (!hasExactly(data, keys)) return 'has other data than a packed row'
  const { seq0, time0 } = value
  const { turn, step, index, dt, id, name } = data
  const pieces = data[payload]
  if (!isWhole(seq0) || seq0 < 0 || !isWhole(time0)) return 'has no valid seq0 and time0'
  if (typeof turn !== 'number' || typeof step !== 'number' || typeof index !== 'number') return 'has no valid position'
  if (!isTexts(pieces) || pieces.length === 0) return `has no ${payload}`
  if (!isWholes(dt) || dt.length !== pieces.length - 1) return 'has times that do not match its pieces'
  if (payload === 'args' && (typeof id !== 'string' || (named && typeof name !== 'string'))) return 'names no call'
  return {
    type,
    seq: seq0,
    time: time0,
    turn,
    step,
    index,
    gaps: dt,
    pieces,
    ...(payload === 'args' ? { call: { id: String(id), ...(named ? { name: String(name) } : {}) } } : {}),
  }
}

/** The events a row stands for, in order. */
export function unpackRow(row: PackedRow): SessionEvent[] {
  let time = row.time
  return row.pieces.map((piece, position) => {
    if (position > 0) time += row.gaps[position - 1] ?? 0
    return chunkEvent(row, piece, row.seq + position, time)
  })
}

/** The whole row as one event, its pieces joined: what a viewer shows for the line. */
export function mergeRow(row: PackedRow): SessionEvent {
  return chunkEvent(row, row.pieces.join(''), row.seq, row.time)
}

function chunkEvent(row: PackedRow, piece: string, seq: number, time: number): SessionEvent {
  const { turn, step, index } = row
  const chunk = row.call
    ? { type: 'tool-call-delta', index, ...row.call, argumentsDelta: piece }
    : { type: row.type === 'text-chunks' ? 'text-delta' : 'reasoning-delta', index, text: piece }
  return { type: 'assistant/chunk', seq, time, data: { turn, step, chunk } }
}

function hasExactly(value: Readonly<Record<string, unknown>>, keys: readonly string[]): boolean {
  return Object.keys(value).length === keys.length && keys.every((key) => Object.hasOwn(value, key))
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value)
}

function isWholes(value: unknown): value is number[] {
  return Array.isArray(value) && value.every(isWhole)
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((piece) => typeof piece === 'string')
}
