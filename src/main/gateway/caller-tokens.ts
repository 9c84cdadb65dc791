import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Caller } from '../tools/caller.ts'

/** Who may call, by secret: the host has one token per start, each live agent one of its own (design §4). */
export interface CallerTokens {
  /** A new random token of 256 bits, as 64 hexadecimal digits, that stands for `caller` until it is revoked. */
  issue(caller: Caller): string
  /** The caller a token stands for; undefined for anything else, text or not. */
  find(token: unknown): Caller | undefined
  revoke(token: string): void
}

/** An empty map of tokens. It holds digests only, so neither a dump nor a log of it gives a token away. */
export function createCallerTokens(): CallerTokens {
  const callers = new Map<string, { readonly digest: Buffer; readonly caller: Caller }>()
  return {
    issue(caller) {
      const token = randomBytes(32).toString('hex')
      const digest = digestOf(token)
      callers.set(digest.toString('hex'), { digest, caller })
      return token
    },
    find(token) {
      if (typeof token !== 'string') return undefined
      const asked = digestOf(token)
      let found: Caller | undefined
      // Every token is compared to the end: the time taken says nothing about how near a guess was.
      for (const { digest, caller } of callers.values()) if (timingSafeEqual(digest, asked)) found = caller
      return found
    },
    revoke(token) {
      callers.delete(digestOf(token).toString('hex'))
    },
  }
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
