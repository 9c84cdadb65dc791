import { cutAt } from './own-words.ts'

interface Shortened {
  readonly value: unknown
  readonly cut: boolean
}

/**
 * A copy of a JSON value in which texts take at most `budget` UTF-16 units in all: the first ones stay whole, the one
 * that goes over is cut and ends in an ellipsis, later long ones are cut to a few words.
 */
export function shortenStrings(value: unknown, budget: number): Shortened {
  let left = budget
  let cut = false
  const shorten = (part: unknown): unknown => {
    if (typeof part === 'string') {
      const allowed = Math.max(left, LEAST)
      left -= Math.min(part.length, allowed)
      if (part.length <= allowed) return part
      cut = true
      return `${cutAt(part, allowed)}…`
    }
    if (Array.isArray(part)) return part.map(shorten)
    if (typeof part === 'object' && part !== null) {
      return Object.fromEntries(Object.entries(part).map(([key, each]) => [key, shorten(each)]))
    }
    return part
  }
  return { value: shorten(value), cut }
}

/** Short texts (ids, names, kinds) are kept even when the budget is spent: without them the shape means nothing. */
const LEAST = 200

/** Where the text may be ended so that what is open can be closed. */
interface SafePoint {
  readonly length: number
  readonly closers: string
}

/**
 * Makes a value out of the beginning of a JSON text that is too long to be parsed: what is cut off is left out, open
 * strings end in an ellipsis, open objects and arrays are closed.
 * @returns the text of a whole JSON value, or undefined if the beginning holds none.
 */
export function closeJson(beginning: string): string | undefined {
  const open: string[] = []
  let safe: SafePoint | undefined
  let at = 0
  // In an object a string may be a key: only behind a colon is it a value that can be cut.
  let isValue = true
  while (at < beginning.length) {
    const letter = beginning[at] ?? ''
    if (letter === '"') {
      const end = endOfString(beginning, at)
      if (end === undefined) {
        if (isValue) return `${withoutHalfEscape(beginning)}…"${closing(open)}`
        break
      }
      at = end
      if (isValue) safe = { length: at, closers: closing(open) }
      continue
    }
    at++
    if (letter === '{' || letter === '[') {
      open.push(letter === '{' ? '}' : ']')
      isValue = letter === '['
      safe = { length: at, closers: closing(open) }
    } else if (letter === '}' || letter === ']') {
      open.pop()
      safe = { length: at, closers: closing(open) }
    } else if (letter === ':') {
      isValue = true
    } else if (letter === ',') {
      // What stands before a comma is whole; the comma itself is not part of it.
      safe = { length: at - 1, closers: closing(open) }
      isValue = open.at(-1) === ']'
    }
  }
  return safe && beginning.slice(0, safe.length) + safe.closers
}

function closing(open: readonly string[]): string {
  return open.toReversed().join('')
}

/** One past the closing quote of the string that opens at `start`; undefined if it is not closed. */
function endOfString(text: string, start: number): number | undefined {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at + 1
  }
  return undefined
}

/** Takes an unfinished escape or half a surrogate pair at the very end away. */
function withoutHalfEscape(text: string): string {
  const escape = lastEscape(text)
  if (escape !== undefined) {
    const letters = text.slice(escape)
    const isWhole = letters.length > 1 && (letters[1] !== 'u' || letters.length >= 6)
    const isHalfPair = /^\\u[dD][89abAB][0-9a-fA-F]{2}$/.test(letters)
    if (!isWhole || isHalfPair) return text.slice(0, escape)
  }
  return cutAt(text, text.length - (/[\uD800-\uDBFF]$/.test(text.slice(-1)) ? 1 : 0))
}

/** Where an escape begins within the last six letters; undefined if none does. */
function lastEscape(text: string): number | undefined {
  for (let at = text.length - 1; at >= Math.max(0, text.length - 6); at--) {
    if (text[at] !== '\\') continue
    let first = at
    while (text[first - 1] === '\\') first--
    // Of a row of backslashes every second one is what the one before it escapes.
    return (at - first) % 2 === 0 ? at : undefined
  }
  return undefined
}
