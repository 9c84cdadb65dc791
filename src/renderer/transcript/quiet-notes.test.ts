import { expect, it } from 'vitest'
import { quietNote } from './quiet-notes.ts'

const told = (data: object) => quietNote('session-tree/history', data)
const update = (kind: string) => quietNote('session-tree/acp-update', { update: { sessionUpdate: kind } })

it('says how an agent came to know what was said before, where it does not have it itself', () => {
  expect(told({ how: 'text', bytes: 2048, logPath: '/x', reason: 'It does not load sessions.' })).toEqual({
    text: 'The agent was given the last 2.0 kB of what was said before, and the path of the log.',
    detail: 'It does not load sessions.',
  })
  expect(told({ how: 'forked' })?.text).toContain('a fork of its own session')
  expect(told({ how: 'new' })?.text).toContain('knows nothing')
  expect(told({ how: 'loaded' })).toBeNull()
  expect(told({ how: 'resumed' })).toBeNull()
})

it('says why another model is used, in the words of the log', () => {
  const message = 'The agent does not offer the model x. It offers: y.'
  expect(quietNote('session-tree/acp-model', { message, used: 'y' })).toEqual({ text: message })
})

it('leaves out what an agent says of itself, and nothing that is not known', () => {
  expect(update('available_commands_update')).toBeNull()
  expect(update('something_new')).toBeUndefined()
  expect(quietNote('session-tree/acp-update', { omittedUpdates: 7 })).toBeUndefined()
  expect(quietNote('future/event', {})).toBeUndefined()
})

it('tells of a limit that was not raised, with the numbers', () => {
  expect(quietNote('session-tree/raise-rejected', { limit: 20_000, asked: 50_000 })?.text).toBe(
    'A limit of 50,000 tokens instead of 20,000 was asked for and refused: a limit is set once.',
  )
  expect(quietNote('session-tree/raise-rejected', {})?.text).toContain('?')
})
