import type { FileHandle } from 'node:fs/promises'

/** One record's line as bytes. The buffer is used again after the visit: copy what must last. */
export interface LineBytes {
  readonly buffer: Buffer
  /** The line's first byte in `buffer`, and one past its last; the newline is not part of it. */
  readonly start: number
  readonly end: number
  /** The line's first byte in the file. */
  readonly offset: number
  /** The line's real length without its newline. */
  readonly bytes: number
  /** False for a line over {@link LONG_LINE}: then `buffer` holds its first bytes only. */
  readonly whole: boolean
}

export interface ScanEnd {
  /** One past the last newline seen: what follows is not a record yet. */
  readonly committed: number
  /** Bytes behind it. */
  readonly unfinished: number
  readonly stopped: boolean
}

/** Longer lines are never held whole. */
export const LONG_LINE = 1024 * 1024

const CHUNK = 1024 * 1024
const LONG_HEAD = 64 * 1024
const NEWLINE = 10

/**
 * Visits each newline-ended line of a byte range, in order, reading the next chunk while one is looked at. Memory is a few
 * MiB whatever the file holds. Only LF ends a line (field fault F05).
 * @param visit returns false to stop.
 * @throws the system's error if reading fails, or the signal's reason.
 */
export async function scanLines(
  file: FileHandle,
  range: { readonly from: number; readonly to: number },
  visit: (line: LineBytes) => boolean | void,
  signal?: AbortSignal,
): Promise<ScanEnd> {
  const buffers = [Buffer.allocUnsafe(LONG_LINE + CHUNK), Buffer.allocUnsafe(LONG_LINE + CHUNK)] as const
  // A chunk is read behind the room for the piece of a line that the chunk before it ended with.
  const fill = (buffer: Buffer, position: number) =>
    file.read(buffer, LONG_LINE, Math.min(CHUNK, range.to - position), position)
  let turn = 0
  let position = range.from
  let carried = 0
  let committed = range.from
  let long: { readonly head: Buffer } | undefined
  let reading = fill(buffers[0], position)
  try {
    while (position < range.to) {
      const { bytesRead, buffer } = await reading
      if (bytesRead === 0) break
      signal?.throwIfAborted()
      const other = buffers[turn === 0 ? 1 : 0]
      turn = turn === 0 ? 1 : 0
      const behind = position + bytesRead
      if (behind < range.to) reading = fill(other, behind)
      const limit = LONG_LINE + bytesRead
      const filled = buffer.subarray(0, limit)
      let start = LONG_LINE - carried
      let searched = LONG_LINE
      for (;;) {
        const newline = filled.indexOf(NEWLINE, searched)
        if (newline === -1) break
        const end = behind - (limit - newline)
        const bytes = end - committed
        const line = long
          ? { buffer: long.head, start: 0, end: long.head.length, offset: committed, bytes, whole: false }
          : { buffer, start, end: newline, offset: committed, bytes, whole: true }
        long = undefined
        committed = end + 1
        start = searched = newline + 1
        if (visit(line) === false) return { committed, unfinished: 0, stopped: true }
      }
      carried = long ? 0 : limit - start
      if (carried > LONG_LINE) {
        long = { head: Buffer.from(buffer.subarray(start, start + LONG_HEAD)) }
        carried = 0
      }
      if (carried > 0) buffer.copy(other, LONG_LINE - carried, start, limit)
      position = behind
    }
    return { committed, unfinished: position - committed, stopped: false }
  } finally {
    await Promise.allSettled([reading])
  }
}
