import { expect, it } from 'vitest'
import { idOf } from '../tools/testing/test-home.ts'
import { createCallLimits } from './call-limits.ts'

const one = idOf('session-1')
const other = idOf('session-2')

it('a caller has a burst, then what the seconds bring, and is told how long to wait', () => {
  let now = 0
  const limits = createCallLimits({ burst: 3, perSecond: 2, atOnce: 9 }, () => now)
  const takes = () => {
    const taken = limits.take(one)
    if (taken.ok) taken.value()
    return taken.ok
  }
  expect([takes(), takes(), takes(), takes()]).toEqual([true, true, true, false])
  expect(limits.take(one)).toMatchObject({
    error: { code: 'too_many_calls', message: expect.stringContaining('a second') },
  })
  expect(limits.take(other)).toMatchObject({ ok: true })
  now = 499
  expect(takes()).toBe(false)
  now = 500
  expect([takes(), takes()]).toEqual([true, false])
  now = 60_000
  expect([takes(), takes(), takes(), takes()]).toEqual([true, true, true, false])
})

it('a caller has only so many calls running at once', () => {
  const limits = createCallLimits({ burst: 99, perSecond: 1, atOnce: 2 }, () => 0)
  const first = limits.take(one)
  limits.take(one)
  expect(limits.take(one)).toMatchObject({
    error: { code: 'too_many_calls', message: expect.stringContaining('2 calls') },
  })
  if (first.ok) first.value()
  expect(limits.take(one)).toMatchObject({ ok: true })
})
