import { expect, it } from 'vitest'
import type { SessionWork } from '../../shared/agent-view.ts'
import { isBlocked, isBusy, standingOf, whoTakesIt } from './composer-words.ts'

const cold = { status: 'cold' } as const
const running = { status: 'running' } as const
const nothing: SessionWork = { tokens: 0, waiting: [], subagents: {} }
const dsh: SessionWork = { ...nothing, agent: { id: 'dsh', label: 'DSH' } }
const waiting = [{ id: 'm', text: 'Go on' }]
const owner = { session_id: 's', name: 'n' }
const out = { limit: 20_000, spent: 20_400, owner, sharers: 0, given: 0, rejected_raises: [] }

it('says who takes a message, and nothing where nobody does', () => {
  expect(whoTakesIt(cold, dsh)).toBe('DSH works on it')
  expect(whoTakesIt(running, dsh)).toBe('DSH takes it next')
  expect(whoTakesIt({ status: 'cold', queued: true }, dsh)).toBe('DSH takes it next')
  expect(whoTakesIt(cold, nothing)).toBe('')
  expect(whoTakesIt(cold, null)).toBe('')
  expect(whoTakesIt({ status: 'missing' }, dsh)).toBe('')
  expect(whoTakesIt(cold, { ...dsh, budget_view: out })).toBe('')
})

it('says nothing of what goes as it should, runs, is not known yet or cannot be written to', () => {
  expect(standingOf(cold, {}, dsh)).toBeNull()
  expect(standingOf(running, { trouble: 'x' }, { ...nothing, waiting })).toBeNull()
  expect(standingOf(cold, null, null)).toBeNull()
  const problem = { code: 'log_damaged', message: 'x' } as const
  expect(standingOf({ status: 'failed', problem }, {}, nothing)).toBeNull()
  expect(isBlocked({ status: 'failed', problem })).toBe(true)
  expect(isBusy(cold)).toBe(false)
})

it('asks for an agent where none is chosen, in the words of what waits', () => {
  expect(standingOf(cold, {}, nothing)).toMatchObject({
    words: expect.stringContaining('what you send waits'),
    way: 'choose-agent',
  })
  const asks = { ...nothing, waiting, no_agent: 'No agent was chosen, so its message waits.' }
  expect(standingOf(cold, { trouble: 'the same' }, asks)).toEqual({ words: asks.no_agent, way: 'choose-agent' })
})

it('says why what waits is not taken, and offers the way on that there is', () => {
  expect(standingOf(cold, {}, { ...dsh, waiting })).toMatchObject({ way: 'start' })
  const trouble = 'DSH did not start.'
  expect(standingOf(cold, { trouble }, { ...dsh, waiting })).toEqual({ words: trouble, way: 'try-again' })
  expect(standingOf({ status: 'cold', queued: true }, {}, { ...dsh, waiting })?.way).toBeUndefined()
  // Room would not help a session without an agent.
  expect(standingOf({ status: 'cold', queued: true }, {}, { ...nothing, waiting })?.way).toBe('choose-agent')
  // Another try would be refused again.
  const spent = standingOf(cold, { trouble }, { ...dsh, waiting, budget_view: out })
  expect(spent?.words).toBe(
    'The budget of 20,000 tokens is used up. What waits here is not run. Make a new session to go on.',
  )
  expect(spent?.way).toBeUndefined()
  expect(standingOf(cold, {}, { ...dsh, budget_view: { ...out, spent: 19_999 } })).toBeNull()
})
