import { isDeepStrictEqual } from 'node:util'
import type { Result } from '../../shared/result.ts'
import type { SessionEvent } from '../../shared/session-event.ts'
import type { ToolError } from '../../shared/tool-error.ts'

export type Comparison =
  | { readonly kind: 'same'; readonly common: number }
  /** One is a prefix of the other, which goes on. */
  | { readonly kind: 'first-goes-on' | 'second-goes-on'; readonly common: number }
  /** They part at this seq. */
  | { readonly kind: 'different'; readonly common: number }
  | { readonly kind: 'unreadable'; readonly which: 'first' | 'second'; readonly error: ToolError }

/**
 * Walks two logs side by side and says whether they are one. Both are read to their ends where they agree, so that damage further
 * down is found before anything is done with the answer; no more than one event of each is held.
 */
export async function compareEvents(
  first: AsyncIterable<Result<SessionEvent>>,
  second: AsyncIterable<Result<SessionEvent>>,
): Promise<Comparison> {
  const a = first[Symbol.asyncIterator]()
  const b = second[Symbol.asyncIterator]()
  try {
    for (let common = 0; ; common++) {
      const [x, y] = await Promise.all([a.next(), b.next()])
      if (!x.done && !x.value.ok) return { kind: 'unreadable', which: 'first', error: x.value.error }
      if (!y.done && !y.value.ok) return { kind: 'unreadable', which: 'second', error: y.value.error }
      if (x.done && y.done) return { kind: 'same', common }
      if (x.done) return (await failureIn(b, 'second')) ?? { kind: 'second-goes-on', common }
      if (y.done) return (await failureIn(a, 'first')) ?? { kind: 'first-goes-on', common }
      if (x.value.ok && y.value.ok && !sameEvent(x.value.value, y.value.value)) return { kind: 'different', common }
    }
  } finally {
    await a.return?.()
    await b.return?.()
  }
}

async function failureIn(
  rest: AsyncIterator<Result<SessionEvent>>,
  which: 'first' | 'second',
): Promise<Comparison | undefined> {
  for (let next = await rest.next(); !next.done; next = await rest.next()) {
    if (!next.value.ok) return { kind: 'unreadable', which, error: next.value.error }
  }
  return undefined
}

/** Equal as JSON values; most often equal as text already, since both were written in the same order of keys. */
function sameEvent(one: SessionEvent, other: SessionEvent): boolean {
  return JSON.stringify(one) === JSON.stringify(other) || isDeepStrictEqual(one, other)
}
