import { expect, it } from 'vitest'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import type { SessionCreateResult } from '../../shared/tools.ts'
import { createCreations } from './creations.ts'

const made: SessionCreateResult = {
  session_id: 'session-1',
  kind: 'fork',
  accepted: true,
  status: 'queued',
  root_session_id: 'session-1',
  cwd: '/',
}

/** A creation that ends when it is told to, or when it is cancelled. */
function slow() {
  const { promise, resolve } = Promise.withResolvers<Result<SessionCreateResult>>()
  const create = (signal: AbortSignal): Promise<Result<SessionCreateResult>> => {
    signal.addEventListener('abort', () => resolve(fail(toolError('cancelled', 'It was cancelled.'))))
    return promise
  }
  return { create, finish: () => resolve(ok(made)) }
}

it('makes one child of two gestures for the same parent, and lets another parent go on', async () => {
  const creations = createCreations()
  const one = slow()
  const other = slow()
  const first = creations.run('a', 'c1', one.create)
  expect(creations.runsFor('a')).toBe(true)
  expect(await creations.run('a', 'c2', slow().create)).toMatchObject({ ok: false, error: { code: 'already_running' } })
  const second = creations.run('b', 'c3', other.create)
  one.finish()
  other.finish()
  expect([await first, await second]).toEqual([ok(made), ok(made)])
  expect(creations.runsFor('a')).toBe(false)
  const again = slow()
  again.finish()
  expect(await creations.run('a', 'c1', again.create)).toEqual(ok(made))
})

it('cancels the one that is named', async () => {
  const creations = createCreations()
  const one = slow()
  const other = slow()
  const first = creations.run('a', 'c1', one.create)
  const second = creations.run(undefined, 'c2', other.create)
  creations.cancel('c1')
  creations.cancel('no such call')
  expect(await first).toMatchObject({ ok: false, error: { code: 'cancelled' } })
  other.finish()
  expect(await second).toEqual(ok(made))
})

it('is free again after a creation that threw', async () => {
  const creations = createCreations()
  await expect(creations.run('a', 'c1', () => Promise.reject(new Error('bug')))).rejects.toThrow('bug')
  expect(creations.runsFor('a')).toBe(false)
})
