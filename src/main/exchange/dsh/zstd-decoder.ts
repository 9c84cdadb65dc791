import { pipeline, Readable } from 'node:stream'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { Decompress } from 'fzstd'
import { xxh64 } from './xxh64.ts'

/**
 * Decodes single zstd frames. Both functions throw where a frame is damaged, its checksum included; what the caller
 * makes of that is the caller's.
 */
export interface ZstdDecoder {
  /** One whole frame in memory; throws also where it would give more than `limit` bytes. */
  whole(frame: Buffer, limit: number): Promise<Buffer>
  /** One frame in pieces. With `complete` false the frame may be cut: what its bytes give is given. */
  pieces(frame: AsyncIterable<Buffer>, complete: boolean): AsyncIterable<Buffer>
}

/**
 * Frames this small are decoded on the spot: it takes less than the way to the thread pool and back, and DSH's logs have
 * one for each 200 ms of a conversation.
 */
const AT_ONCE = 64 * 1024

/** zlib's own, from Node 22.15 on; undefined before, as in the floor runtime (stack-facts §1). */
export function zlibDecoder(): ZstdDecoder | undefined {
  // The types are those of a newer Node than the floor's: there the functions are not.
  if (!('zstdDecompress' in zlib)) return undefined
  const decompress = promisify(zlib.zstdDecompress)
  return {
    async whole(frame, limit) {
      const options = { maxOutputLength: limit }
      return frame.length <= AT_ONCE ? zlib.zstdDecompressSync(frame, options) : decompress(frame, options)
    },
    async *pieces(frame, complete) {
      const finishFlush = complete ? zlib.constants.ZSTD_e_end : zlib.constants.ZSTD_e_flush
      const decoder = zlib.createZstdDecompress({ finishFlush })
      // Errors of either side come out of the iteration below.
      pipeline(Readable.from(frame), decoder, () => undefined)
      for await (const piece of decoder) if (Buffer.isBuffer(piece)) yield piece
    },
  }
}

/** Works everywhere, slower; the checksum that fzstd skips is checked here. */
export const portableDecoder: ZstdDecoder = {
  async whole(frame, limit) {
    const parts: Buffer[] = []
    let size = 0
    for await (const piece of decodePortably(oneBuffer(frame), true)) {
      size += piece.length
      if (size > limit) throw new RangeError(`The frame holds more than ${limit} bytes.`)
      parts.push(piece)
    }
    return Buffer.concat(parts)
  },
  pieces: decodePortably,
}

/** The checksum flag and length in a frame (zstd frame format, RFC 8878 §3.1.1). */
const CHECKSUM_FLAG = 0b100
const CHECKSUM_BYTES = 4

async function* decodePortably(frame: AsyncIterable<Buffer>, complete: boolean): AsyncGenerator<Buffer> {
  const ready: Buffer[] = []
  const hash = xxh64()
  let descriptor: number | undefined
  let seen = 0
  let last: Buffer = Buffer.alloc(0)
  const decoder = new Decompress((piece) => {
    hash.update(piece)
    ready.push(Buffer.from(piece))
  })
  for await (const bytes of frame) {
    if (descriptor === undefined && seen + bytes.length > 4) descriptor = bytes[4 - seen]
    seen += bytes.length
    last = Buffer.concat([last, bytes.subarray(-CHECKSUM_BYTES)]).subarray(-CHECKSUM_BYTES)
    decoder.push(bytes, false)
    yield* ready.splice(0)
  }
  if (!complete) return
  decoder.push(new Uint8Array(0), true)
  yield* ready.splice(0)
  if (((descriptor ?? 0) & CHECKSUM_FLAG) !== 0 && last.readUInt32LE(0) !== hash.low32()) {
    throw new Error('The frame does not match its checksum.')
  }
}

async function* oneBuffer(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
