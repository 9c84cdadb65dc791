import { expect, test } from 'vitest'
import { ok } from '../../shared/result.ts'
import type { LogHeader } from '../../shared/session-event.ts'
import { markSeed } from './seed-bytes.ts'
import { conversation } from './testing/conversation.ts'

const HEADER: LogHeader = {
  type: 'session',
  version: 0,
  id: 'session-2',
  createdAt: 1,
  delegationDepth: 0,
  kind: 'fork',
  root_session_id: 'session-1',
}
const EVENTS = conversation(1, '果园')

test.each([1, 7, 30])('with a seed of %i events, the mark is the first byte behind it', async (seedLength) => {
  const header = await markSeed({ ...HEADER, seedLength }, EVENTS.map(ok))
  const log = Buffer.from([header, ...EVENTS].map((record) => `${JSON.stringify(record)}\n`).join(''))
  expect(JSON.parse(log.subarray(header.seedBytes).toString().split('\n')[0] ?? '')).toEqual(EVENTS[seedLength])
})

test('no seed, or one that the log does not hold: no mark', async () => {
  for (const seedLength of [0, EVENTS.length + 1]) {
    expect(await markSeed({ ...HEADER, seedLength }, EVENTS.map(ok))).toEqual({ ...HEADER, seedLength })
  }
})
