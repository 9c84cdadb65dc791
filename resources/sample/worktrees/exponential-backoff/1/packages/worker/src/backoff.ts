const FIRST = 500
const LONGEST = 15 * 60 * 1000

/** How long to wait before attempt `n` (from 1), in ms: full jitter, so that a thousand webhooks do not wake together. */
export function backoff(n: number, random = Math.random): number {
  return Math.round(random() * Math.min(LONGEST, FIRST * 2 ** (n - 1)))
}
