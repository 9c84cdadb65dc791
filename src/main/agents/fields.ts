import { asRecord } from '../session-tree/event.ts'

/* What comes from a log or from an agent, read field by field: what has another shape is not there. */

export type Fields = Readonly<Record<string, unknown>>

/** The fields of an object; none where it is no object. */
export function fieldsOf(value: unknown): Fields {
  return asRecord(value) ?? {}
}

/** A text, or undefined where there is none. */
export function wordOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A number that counts something, or undefined. */
export function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}
