import { expect, it } from 'vitest'
import type { SubagentSummary } from '../../shared/navigator-view.ts'
import { lasted, standing, standingWords, tokenCount } from './work-words.ts'

const helper: SubagentSummary = { session_id: 's', name: 'n', status: 'cold', created_at: 1000, subagents: [] }

it('says how a subagent ended, and what it does while it works', () => {
  const spent = {
    tokens: 20_000,
    ended: { reason: 'budget', time: 126_000 },
    budget: { limit: 20_000, spent: 20_000 },
  } as const
  expect(standing(helper, spent)).toBe('stopped by its budget, 20.0k of 20.0k')
  expect(lasted(helper, spent)).toBe('2m 05s')
  expect(standing({ ...helper, status: 'running' }, spent)).toBe('Running')
  expect(lasted({ ...helper, status: 'running' }, spent)).toBeUndefined()
  expect(standing({ ...helper, needs_you: true }, spent)).toBe('Needs you')
  expect(standing({ ...helper, problem: 'The header is cut.' }, spent)).toBe('The header is cut.')
  expect(standing(helper, undefined)).toBe('Cold')
})

const ended = (reason: 'budget' | 'timeout' | 'done' | 'error') => ({ tokens: 1, ended: { reason, time: 1 } })

it('says of the open session which limit stopped it, once it does no more', () => {
  expect(standingWords({ status: 'idle' }, ended('budget'))).toBe('Idle, stopped by its budget')
  expect(standingWords({ status: 'cold' }, ended('timeout'))).toBe('Cold, ran out of time')
  expect(standingWords({ status: 'running' }, ended('budget'))).toBe('Running')
  expect(standingWords({ status: 'cold', queued: true }, ended('budget'))).toBe('Waits for its turn')
  expect(standingWords({ status: 'cold' }, ended('done'))).toBe('Cold')
  expect(standingWords({ status: 'failed' }, ended('error'))).toBe('Failed')
  expect(standingWords({ status: 'cold' }, null)).toBe('Cold')
})

it.each([
  [7, '7'],
  [6_100, '6.1k'],
  [999_960, '1.0M'],
])('shortens %d tokens to %s', (tokens, words) => {
  expect(tokenCount(tokens)).toBe(words)
})
