import type { FileHandle } from 'node:fs/promises'
import { readBytes } from './log-file.ts'

/** Where a newline-ended line stands in a file; `length` is without the newline. */
export interface LineSpan {
  readonly offset: number
  readonly length: number
}

const FIRST_BLOCK = 64 * 1024
const LARGEST_BLOCK = 1024 * 1024
const NEWLINE = 10

/**
 * The lines that end before `end`, the last one first. Holds one block at a time, so a line of any length costs no memory.
 * @param end one past a newline, or 0.
 */
export async function* linesBackwards(file: FileHandle, end: number): AsyncGenerator<LineSpan> {
  let lineEnd = end - 1
  let high = lineEnd
  let size = FIRST_BLOCK
  while (lineEnd >= 0) {
    const low = Math.max(0, high - size)
    const block = await readBytes(file, low, high - low)
    let at = block.length
    for (;;) {
      at = at > 0 ? block.lastIndexOf(NEWLINE, at - 1) : -1
      if (at === -1) break
      yield { offset: low + at + 1, length: lineEnd - (low + at + 1) }
      lineEnd = low + at
    }
    if (low === 0) {
      yield { offset: 0, length: lineEnd }
      return
    }
    high = low
    size = Math.min(LARGEST_BLOCK, size * 2)
  }
}

/** The lines from `start` on that are ended by a newline before `end`. */
export async function* linesForwards(file: FileHandle, start: number, end: number): AsyncGenerator<LineSpan> {
  let lineStart = start
  let low = start
  let size = FIRST_BLOCK
  while (low < end) {
    const block = await readBytes(file, low, Math.min(size, end - low))
    if (block.length === 0) return
    for (let at = block.indexOf(NEWLINE); at !== -1; at = block.indexOf(NEWLINE, at + 1)) {
      yield { offset: lineStart, length: low + at - lineStart }
      lineStart = low + at + 1
    }
    low += block.length
    size = Math.min(LARGEST_BLOCK, size * 2)
  }
}
