import { expect, test } from 'vitest'
import { createHeldUpdates } from './acp-held-updates.ts'

test('what is held is given once, in order', () => {
  const held = createHeldUpdates()
  held.add({ sessionUpdate: 'a' })
  held.add({ sessionUpdate: 'b' })
  expect(held.take()).toEqual([{ sessionUpdate: 'a' }, { sessionUpdate: 'b' }])
  expect(held.take()).toEqual([])
})

test('only so much is held, and what is left out is counted until it is told', () => {
  const held = createHeldUpdates()
  for (let count = 0; count < 250; count++) held.add({ count })
  held.add({ text: 'x'.repeat(50_000) })
  const taken = held.take()
  expect(taken).toHaveLength(201)
  expect(taken.at(-1)).toEqual({ omittedUpdates: 51 })
  held.add({ text: 'x'.repeat(50_000) })
  expect(held.take()).toEqual([{ truncated: expect.any(String), letters: 50_011 }])
})
