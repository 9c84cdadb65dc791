import { expect, it } from 'vitest'
import { isUsedUp, percentWords, sharedWords, spentShare, typedLimit } from './budget-words.ts'

it('is used up at its limit, and never shown as more than full', () => {
  expect(spentShare({ spent: 5, limit: 20 })).toBe(0.25)
  expect(spentShare({ spent: 25, limit: 20 })).toBe(1)
  expect([0, 1, 999, 1000].map((spent) => percentWords({ spent, limit: 1000 }))).toEqual([
    '0%',
    'less than 1%',
    '99%',
    '100%',
  ])
  expect(isUsedUp({ spent: 19, limit: 20 })).toBe(false)
  expect(isUsedUp({ spent: 20, limit: 20 })).toBe(true)
})

it('says who shares it', () => {
  expect(sharedWords({ sharers: 0 })).toContain('Only this session')
  expect(sharedWords({ sharers: 1 })).toBe('Shared with the one session below it.')
  expect(sharedWords({ sharers: 1200 })).toBe('Shared with the 1,200 sessions below it, forks and subagents alike.')
})

it.each([
  ['150000', 150_000],
  ['150,000', 150_000],
  [' 150 000 ', 150_000],
  ['1.5', undefined],
  ['0', undefined],
  ['-1', undefined],
  ['1e5', undefined],
  ['99999999999999999999', undefined],
  ['', undefined],
])('takes %j as a limit of %s', (typed, limit) => {
  expect(typedLimit(typed)).toBe(limit)
})
