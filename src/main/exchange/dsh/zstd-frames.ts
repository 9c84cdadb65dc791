import type { FileHandle } from 'node:fs/promises'
import { fail, ok, type Result } from '../../../shared/result.ts'
import { toolError } from '../../../shared/tool-error.ts'
import { portableDecoder, zlibDecoder, type ZstdDecoder } from './zstd-decoder.ts'

/** A piece of a log's plain bytes. `frame` counts from 0; `torn` marks what came out of a last frame that is cut. */
export interface PlainPiece {
  readonly bytes: Buffer
  readonly frame: number
  readonly torn: boolean
}

interface FrameRange {
  readonly start: number
  readonly end: number
  readonly complete: boolean
}

const MAGIC = 0xfd2fb528
const RESERVED_BITS = 0b11000
const RESERVED_BLOCK = 3
const RLE_BLOCK = 1
const WINDOW = 256 * 1024
/** Frames up to this size are decoded at once, and larger ones, or such as swell beyond the limit, in pieces. */
const WHOLE_FRAME = 1024 * 1024
const WHOLE_LIMIT = 16 * 1024 * 1024
/** Of a cut last frame nothing is shown until all of it has decoded; more than any batch DSH writes. */
const TORN_LIMIT = 256 * 1024 * 1024

/**
 * The plain bytes of a zstd log, frame by frame: header frame, then one checksummed frame for each batch DSH appended
 * (dsh-format §2). Frames are found by walking their block headers, since zlib ends in silence at a damaged frame's
 * start (stack-facts §1). Memory is bounded by a frame, and for large frames by a piece.
 * @param handle open for reading.
 * @param size how far to read: the file's size when it was opened, as its writer may be at work.
 * @returns pieces; a damaged frame is a `log_damaged` failure with its byte, and ends the iteration. A last frame that
 * is cut is no failure: its pieces, if it decodes at all, are marked `torn`. Errors of the file system are thrown.
 */
export async function* readFrames(
  handle: FileHandle,
  size: number,
  path: string,
  decoder: ZstdDecoder = zlibDecoder() ?? portableDecoder,
): AsyncGenerator<Result<PlainPiece>> {
  const file = windowOn(handle, size)
  let frame = 0
  for (let start = 0; start < size; frame++) {
    const found = await findFrame(file, start, size)
    if (typeof found === 'string') {
      yield damagedFrame(path, start, found)
      return
    }
    if (!found.complete) {
      for (const bytes of await decodeTorn(handle, found, decoder)) yield ok({ bytes, frame, torn: true })
      return
    }
    try {
      for await (const bytes of decodeFrame(handle, found, decoder)) yield ok({ bytes, frame, torn: false })
    } catch (error) {
      if (error instanceof Error && 'syscall' in error) throw error
      yield damagedFrame(path, start, 'does not decode to what its checksum says')
      return
    }
    start = found.end
  }
}

async function* decodeFrame(handle: FileHandle, frame: FrameRange, decoder: ZstdDecoder): AsyncGenerator<Buffer> {
  if (frame.end - frame.start <= WHOLE_FRAME) {
    const bytes = await readRange(handle, frame.start, frame.end)
    let whole: Buffer | undefined
    try {
      whole = await decoder.whole(bytes, WHOLE_LIMIT)
    } catch (error) {
      // Too much for one buffer is no damage.
      if (!(error instanceof RangeError)) throw error
    }
    if (whole) {
      yield whole
      return
    }
  }
  yield* decoder.pieces(rangeInPieces(handle, frame), true)
}

/** All of a cut frame that decodes, or nothing where it does not: DSH does the same. */
async function decodeTorn(handle: FileHandle, frame: FrameRange, decoder: ZstdDecoder): Promise<readonly Buffer[]> {
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const piece of decoder.pieces(rangeInPieces(handle, frame), false)) {
      size += piece.length
      if (size > TORN_LIMIT) return []
      parts.push(piece)
    }
  } catch {
    return []
  }
  return parts
}

/** Walks one frame's headers (RFC 8878 §3.1.1): where it ends, that the file ends inside it, or why it is none. */
async function findFrame(file: Window, start: number, size: number): Promise<FrameRange | string> {
  const torn: FrameRange = { start, end: size, complete: false }
  if (start + 4 > size) return torn
  if ((await file.peek(start, 4)).readUInt32LE(0) !== MAGIC) return 'does not begin as one'
  if (start + 5 > size) return torn
  const flags = (await file.peek(start + 4, 1)).readUInt8(0)
  if ((flags & RESERVED_BITS) !== 0) return 'has a header that no zstd writes'
  const single = (flags >> 5) & 1
  const dictionary = flags & 3
  const contentSize = flags >> 6
  let at = start + 5 + (1 - single)
  at += dictionary === 3 ? 4 : dictionary
  at += contentSize === 0 ? single : 1 << contentSize
  for (let last = false; !last;) {
    if (at + 3 > size) return torn
    const head = (await file.peek(at, 3)).readUIntLE(0, 3)
    last = (head & 1) === 1
    const type = (head >> 1) & 3
    if (type === RESERVED_BLOCK) return 'has a block that no zstd writes'
    at += 3 + (type === RLE_BLOCK ? 1 : head >> 3)
    if (at > size) return torn
  }
  at += (flags & 0b100) === 0 ? 0 : 4
  return at > size ? torn : { start, end: at, complete: true }
}

interface Window {
  /** `length` bytes at `position`, which the caller knows to be inside the file; valid until the next call. */
  peek(position: number, length: number): Promise<Buffer>
}

function windowOn(handle: FileHandle, size: number): Window {
  let held: Buffer = Buffer.alloc(0)
  let heldAt = 0
  return {
    async peek(position, length) {
      if (position < heldAt || position + length > heldAt + held.length) {
        held = await readRange(handle, position, Math.min(size, position + WINDOW))
        heldAt = position
      }
      return held.subarray(position - heldAt, position - heldAt + length)
    },
  }
}

async function readRange(handle: FileHandle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(end - start)
  let filled = 0
  while (filled < bytes.length) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, start + filled)
    if (bytesRead === 0) throw new Error('The file became shorter while it was read.')
    filled += bytesRead
  }
  return bytes
}

async function* rangeInPieces(handle: FileHandle, frame: FrameRange): AsyncGenerator<Buffer> {
  for (let at = frame.start; at < frame.end; at += WINDOW) {
    yield await readRange(handle, at, Math.min(frame.end, at + WINDOW))
  }
}

function damagedFrame(path: string, start: number, why: string): Result<never> {
  return fail(
    toolError(
      'log_damaged',
      `${path} is damaged: the zstd frame at byte ${start} ${why}. The file was left as it is.`,
      { path },
    ),
  )
}
