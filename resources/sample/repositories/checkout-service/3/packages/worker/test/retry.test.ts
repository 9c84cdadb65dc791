import { test } from 'node:test'
import assert from 'node:assert/strict'
import { retryWebhook } from '../src/retry.ts'
import { merchant, failingProvider } from './helpers.ts'

test('keeps at most 5 attempts per merchant in a minute', async () => {
  const provider = failingProvider()
  await Promise.all([1, 2, 3].map(() => retryWebhook(merchant.webhook())))
  assert.equal(provider.attempts, 5)
})
