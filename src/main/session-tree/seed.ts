import { open, type FileHandle } from 'node:fs/promises'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import type { Boundary, ByteRange } from './session-tree.ts'

const CHUNK = 1024 * 1024

/** The stretches of the parent's log that a fork gets: those of the copied events, blank lines left out. */
function seedRanges(boundary: Boundary): ByteRange[] {
  const ranges: ByteRange[] = []
  let from = boundary.from
  for (const blank of boundary.blanks ?? []) {
    if (blank.from > from) ranges.push({ from, to: blank.from })
    from = blank.to
  }
  if (boundary.to > from) ranges.push({ from, to: boundary.to })
  return ranges
}

/** How many bytes {@link copySeed} copies. */
export function seedSize(boundary: Boundary): number {
  return seedRanges(boundary).reduce((sum, range) => sum + range.to - range.from, 0)
}

/**
 * Copies a parent's events through the boundary behind what `target` holds, byte for byte, in a stream: memory does not
 * grow with the log. The parent is only read, and may grow meanwhile.
 * @returns `log_changed` if the parent has got shorter since the boundary was found.
 * @throws the system's error, or the signal's reason.
 */
export async function copySeed(
  parentLog: string,
  boundary: Boundary,
  target: FileHandle,
  signal?: AbortSignal,
): Promise<Result<void>> {
  const source = await open(parentLog, 'r')
  try {
    for (const range of seedRanges(boundary)) {
      if (await copyRange(source, range, target, signal)) continue
      return fail(
        toolError('log_changed', `${parentLog} got shorter while it was forked. Look at it, then try again.`, {
          path: parentLog,
        }),
      )
    }
    return ok(undefined)
  } finally {
    await source.close()
  }
}

/** Reads one chunk while the one before it is written. */
async function copyRange(
  source: FileHandle,
  range: ByteRange,
  target: FileHandle,
  signal?: AbortSignal,
): Promise<boolean> {
  const buffers = [Buffer.allocUnsafe(CHUNK), Buffer.allocUnsafe(CHUNK)] as const
  let writing: Promise<void> = Promise.resolve()
  try {
    let turn = 0
    for (let position = range.from; position < range.to;) {
      signal?.throwIfAborted()
      const buffer = buffers[turn === 0 ? 0 : 1]
      const { bytesRead } = await source.read(buffer, 0, Math.min(CHUNK, range.to - position), position)
      if (bytesRead === 0) return false
      position += bytesRead
      turn = 1 - turn
      await writing
      writing = writeAll(target, buffer.subarray(0, bytesRead))
    }
    return true
  } finally {
    await writing
  }
}

/** Writes all of the bytes behind what was written before; the system may take less at a time. */
export async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, null)
    done += bytesWritten
  }
}
