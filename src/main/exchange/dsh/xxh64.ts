/**
 * XXH64 with seed 0, of which zstd keeps the low 32 bits as a frame's checksum. `fzstd` does not check it, and a
 * damaged byte would pass in silence (stack-facts §1). 64-bit lanes are pairs of 32-bit integers: BigInt is ten times
 * slower, and this runs over every byte on machines without zlib's own zstd.
 */
export interface Xxh64 {
  update(bytes: Uint8Array): void
  /** The digest's low 32 bits, unsigned. Nothing may be added afterwards. */
  low32(): number
}

// The five primes of the XXH64 specification, high and low halves.
const P1H = 0x9e3779b1 | 0
const P1L = 0x85ebca87 | 0
const P2H = 0xc2b2ae3d | 0
const P2L = 0x27d4eb4f | 0
const P3H = 0x165667b1 | 0
const P3L = 0x9e3779f9 | 0
const P4H = 0x85ebca77 | 0
const P4L = 0xc2b2ae63 | 0
const P5H = 0x27d4eb2f | 0
const P5L = 0x165667c5 | 0

// The high half of the last 64-bit operation; its low half is the return value. One object, no allocation per lane.
let high = 0

function multiply(ah: number, al: number, bh: number, bl: number): number {
  const a0 = al & 0xffff
  const a1 = al >>> 16
  const b0 = bl & 0xffff
  const b1 = bl >>> 16
  const low = a0 * b0
  const middle = a1 * b0 + (low >>> 16)
  const cross = a0 * b1 + (middle & 0xffff)
  // `middle` and `cross` stay below 2 ** 33: exact as doubles, but not as 32-bit shifts.
  high =
    (a1 * b1 + Math.floor(middle / 0x10000) + Math.floor(cross / 0x10000) + Math.imul(ah, bl) + Math.imul(al, bh)) | 0
  return Math.imul(al, bl)
}

function add(ah: number, al: number, bh: number, bl: number): number {
  const low = (al >>> 0) + (bl >>> 0)
  high = (ah + bh + (low > 0xffffffff ? 1 : 0)) | 0
  return low | 0
}

/** Rotates left by 1 to 31 bits. */
function rotate(ah: number, al: number, by: number): number {
  high = (ah << by) | (al >>> (32 - by))
  return (al << by) | (ah >>> (32 - by))
}

/** round(accumulator, lane) of the specification. */
function round(ah: number, al: number, lh: number, ll: number): number {
  let low = multiply(lh, ll, P2H, P2L)
  low = add(ah, al, high, low)
  low = rotate(high, low, 31)
  return multiply(high, low, P1H, P1L)
}

/** Starts a hash. */
export function xxh64(): Xxh64 {
  const highs = new Int32Array(4)
  const lows = new Int32Array(4)
  lows[0] = add(P1H, P1L, P2H, P2L)
  highs[0] = high
  highs[1] = P2H
  lows[1] = P2L
  // 0 - P1 by two's complement: invert and add one with carry.
  lows[3] = add(~P1H, ~P1L, 0, 1)
  highs[3] = high
  const rest = new Uint8Array(32)
  let kept = 0
  let total = 0

  function stripe(bytes: Uint8Array, at: number): void {
    for (let lane = 0; lane < 4; lane++) {
      const p = at + lane * 8
      const low = word(bytes, p)
      lows[lane] = round(highs[lane] ?? 0, lows[lane] ?? 0, word(bytes, p + 4), low)
      highs[lane] = high
    }
  }

  return {
    update(bytes) {
      total += bytes.length
      let at = 0
      if (kept > 0) {
        at = Math.min(32 - kept, bytes.length)
        rest.set(bytes.subarray(0, at), kept)
        kept += at
        if (kept < 32) return
        stripe(rest, 0)
        kept = 0
      }
      for (; at + 32 <= bytes.length; at += 32) stripe(bytes, at)
      rest.set(bytes.subarray(at), 0)
      kept = bytes.length - at
    },
    low32: () => finish(highs, lows, rest.subarray(0, kept), total),
  }
}

function word(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24) | 0
  )
}

function finish(highs: Int32Array, lows: Int32Array, rest: Uint8Array, total: number): number {
  let low: number
  if (total < 32) {
    low = P5L
    high = P5H
  } else {
    low = rotate(highs[0] ?? 0, lows[0] ?? 0, 1)
    for (const [lane, by] of [
      [1, 7],
      [2, 12],
      [3, 18],
    ] as const) {
      const sumHigh = high
      const turned = rotate(highs[lane] ?? 0, lows[lane] ?? 0, by)
      low = add(sumHigh, low, high, turned)
    }
    for (let lane = 0; lane < 4; lane++) {
      const sumHigh = high
      const mixed = round(0, 0, highs[lane] ?? 0, lows[lane] ?? 0)
      low = multiply(sumHigh ^ high, low ^ mixed, P1H, P1L)
      low = add(high, low, P4H, P4L)
    }
  }
  low = add(high, low, Math.floor(total / 0x100000000), total | 0)
  let at = 0
  for (; at + 8 <= rest.length; at += 8) {
    const sumHigh = high
    const mixed = round(0, 0, word(rest, at + 4), word(rest, at))
    low = rotate(sumHigh ^ high, low ^ mixed, 27)
    low = multiply(high, low, P1H, P1L)
    low = add(high, low, P4H, P4L)
  }
  if (at + 4 <= rest.length) {
    const sumHigh = high
    const mixed = multiply(0, word(rest, at), P1H, P1L)
    low = rotate(sumHigh ^ high, low ^ mixed, 23)
    low = multiply(high, low, P2H, P2L)
    low = add(high, low, P3H, P3L)
    at += 4
  }
  for (; at < rest.length; at++) {
    const sumHigh = high
    const mixed = multiply(0, rest[at] ?? 0, P5H, P5L)
    low = rotate(sumHigh ^ high, low ^ mixed, 11)
    low = multiply(high, low, P1H, P1L)
  }
  // The avalanche: h ^= h >> 33; h *= P2; h ^= h >> 29; h *= P3; h ^= h >> 32.
  low ^= high >>> 1
  low = multiply(high, low, P2H, P2L)
  const shifted = (low >>> 29) | (high << 3)
  high ^= high >>> 29
  low = multiply(high, low ^ shifted, P3H, P3L)
  return (low ^ high) >>> 0
}
