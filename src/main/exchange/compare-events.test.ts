import { expect, test } from 'vitest'
import { fail, ok, type Result } from '../../shared/result.ts'
import type { SessionEvent } from '../../shared/session-event.ts'
import { toolError } from '../../shared/tool-error.ts'
import { compareEvents } from './compare-events.ts'

const DAMAGE = toolError('log_damaged', 'Damaged.')

/** Events told apart by their data; `!` is damage. */
async function* log(...data: unknown[]): AsyncGenerator<Result<SessionEvent>> {
  for (const [seq, each] of data.entries()) {
    yield each === '!' ? fail(DAMAGE) : ok({ type: 'todo/write', seq, time: 1, data: each })
  }
}

test.each([
  ['both empty', log(), log(), { kind: 'same', common: 0 }],
  ['the same', log(1, 2), log(1, 2), { kind: 'same', common: 2 }],
  ['the same but for the order of keys', log({ a: 1, b: 2 }), log({ b: 2, a: 1 }), { kind: 'same', common: 1 }],
  ['the first is longer', log(1, 2, 3), log(1), { kind: 'first-goes-on', common: 1 }],
  ['the second is longer', log(1), log(1, 2), { kind: 'second-goes-on', common: 1 }],
  ['they part', log(1, 2, 3), log(1, 9, 3), { kind: 'different', common: 1 }],
  ['damage in the first', log(1, '!'), log(1, 2), { kind: 'unreadable', which: 'first', error: DAMAGE }],
  [
    'damage behind the end of the other',
    log(1),
    log(1, 2, '!'),
    { kind: 'unreadable', which: 'second', error: DAMAGE },
  ],
])('%s', async (_, first, second, expected) => {
  expect(await compareEvents(first, second)).toEqual(expected)
})

test('both are closed wherever the comparison ends', async () => {
  let closed = 0
  async function* closing(data: number): AsyncGenerator<Result<SessionEvent>> {
    try {
      yield* log(data, 2)
    } finally {
      closed += 1
    }
  }
  await compareEvents(closing(1), closing(9))
  expect(closed).toBe(2)
})
