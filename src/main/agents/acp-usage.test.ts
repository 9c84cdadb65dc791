import { describe, expect, test } from 'vitest'
import { createUsageCounter } from './acp-usage.ts'

const acp = (inputTokens: number, outputTokens: number, more = {}) => ({
  totalTokens: inputTokens + outputTokens,
  inputTokens,
  outputTokens,
  ...more,
})
const ours = (inputTokens: number, outputTokens: number, more = {}) => ({ inputTokens, outputTokens, ...more })

test('all kinds of tokens, by DSH’s names', () => {
  const told = acp(10, 5, { thoughtTokens: 2, cachedReadTokens: 3, cachedWriteTokens: 4 })
  expect(createUsageCounter().take(told)).toEqual(
    ours(10, 5, { reasoningTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 }),
  )
  expect(createUsageCounter().take(acp(10, 5, { thoughtTokens: null, cachedReadTokens: 1.5 }))).toEqual(ours(10, 5))
})

test.each([undefined, null, {}, { inputTokens: 1 }, acp(-1, 5), acp(1.5, 1), { inputTokens: '1', outputTokens: '2' }])(
  'what is no count is none: %j',
  (told) => {
    expect(createUsageCounter().take(told)).toBeUndefined()
    expect(createUsageCounter('session').take(told)).toBeUndefined()
  },
)

test('counts of a prompt are that prompt’s, whatever came before', () => {
  const counter = createUsageCounter('prompt', acp(1000, 1000))
  expect(counter.take(acp(10, 5))).toEqual(ours(10, 5))
  expect(counter.take(acp(20, 6))).toEqual(ours(20, 6))
})

describe('counts of the session so far', () => {
  test('give what came on top', () => {
    const counter = createUsageCounter('session')
    expect(counter.take(acp(10, 5, { cachedReadTokens: 7 }))).toEqual(ours(10, 5, { cacheReadTokens: 7 }))
    expect(counter.take(acp(30, 6, { cachedReadTokens: 7, thoughtTokens: 1 }))).toEqual(
      ours(20, 1, { cacheReadTokens: 0, reasoningTokens: 1 }),
    )
    expect(counter.take(acp(30, 6))).toEqual(ours(0, 0))
  })

  test('a prompt that tells none is counted with the next', () => {
    const counter = createUsageCounter('session')
    counter.take(acp(10, 5))
    expect(counter.take(undefined)).toBeUndefined()
    expect(counter.take(acp(40, 9))).toEqual(ours(30, 4))
  })

  test('go on from what was told before the agent was started anew', () => {
    expect(createUsageCounter('session', acp(10, 5)).take(acp(12, 6))).toEqual(ours(2, 1))
    expect(createUsageCounter('session', { nonsense: true }).take(acp(12, 6))).toEqual(ours(12, 6))
  })

  test('that became less in anything are counted anew', () => {
    const counter = createUsageCounter('session', acp(10, 5))
    expect(counter.take(acp(12, 1))).toEqual(ours(12, 1))
    expect(counter.take(acp(13, 2))).toEqual(ours(1, 1))
  })
})
