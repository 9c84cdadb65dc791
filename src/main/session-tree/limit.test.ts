import { expect, test } from 'vitest'
import { createLimit } from './limit.ts'

test('so many tasks run at a time, in order, and a failed one gives its place up', async () => {
  const limit = createLimit(3)
  const started: number[] = []
  let running = 0
  let most = 0
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) =>
      limit(async () => {
        started.push(index)
        most = Math.max(most, ++running)
        await new Promise(setImmediate)
        running--
        if (index % 4 === 0) throw new Error(`${index}`)
        return index
      }),
    ),
  )
  expect(most).toBe(3)
  expect(started).toEqual(Array.from({ length: 20 }, (_, index) => index))
  expect(results.filter((result) => result.status === 'rejected')).toHaveLength(5)
  expect(await limit(async () => 'still open')).toBe('still open')
})
