import { MessageTooLargeError, RequestError } from '@agentclientprotocol/sdk/unstable'
import { expect, test } from 'vitest'
import { requestFailure } from './acp-failure.ts'

const wordsOf = (error: unknown, logins?: readonly string[]) =>
  requestFailure('did not open a session', error, logins).message

test('an agent that wants a login names the ways it offers, and what to do', () => {
  const error = RequestError.authRequired()
  expect(wordsOf(error, ['API key', 'Google'])).toBe(
    'The agent did not open a session: it wants you to log in first (API key, Google). ' +
      'Start it in a terminal, log in, and send the message again.',
  )
  expect(wordsOf(error)).toContain('log in first. Start')
})

test.each([
  [new RequestError(-32603, 'Internal error'), 'Internal error'],
  [new RequestError(-32603, 'Internal error', 'no credit left'), 'Internal error no credit left'],
  [new RequestError(-32603, 'Internal error', { details: 'no credit' }), 'Internal error {"details":"no credit"}'],
  [new Error('The connection is closed.'), 'The connection is closed.'],
  ['nothing', 'nothing'],
  [new MessageTooLargeError(16 * 1024 * 1024), 'it sent a message of more than 16 MB.'],
])('%s, in words', (error, words) => {
  expect(wordsOf(error)).toBe(`The agent did not open a session: ${words}`)
})

test('what it says of it is bounded', () => {
  expect(wordsOf(new RequestError(1, 'x'.repeat(100_000))).length).toBeLessThan(2200)
})
