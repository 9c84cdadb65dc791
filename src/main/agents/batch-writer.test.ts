import { expect, test } from 'vitest'
import { fail, ok } from '../../shared/result.ts'
import type { EventDraft } from '../../shared/session-event.ts'
import { toolError, type ToolError } from '../../shared/tool-error.ts'
import { createBatchWriter } from './batch-writer.ts'
import { deferred } from './deferred.ts'

const note = (text: string): EventDraft => ({ type: 'session-tree/x', time: 1, data: { text }, ignorable: true })
const piece = (text: string, step = 1): EventDraft => ({
  type: 'assistant/chunk',
  time: 1,
  data: { turn: 1, step, chunk: { type: 'text-delta', index: 0, text } },
})
const nothing = () => undefined

test('one write at a time, in order; what comes meanwhile goes together', async () => {
  const batches: number[][] = []
  const gate = deferred<void>()
  let writing = 0
  const writer = createBatchWriter(async (drafts) => {
    writing += 1
    expect(writing).toBe(1)
    batches.push(drafts.map(({ data }) => Number(Object(data).text)))
    await gate.promise
    writing -= 1
    return ok(undefined)
  }, nothing)
  writer.add(note('0'))
  const first = writer.flush()
  for (let index = 1; index < 2000; index++) writer.add(note(String(index)))
  gate.resolve()
  await first
  expect(await writer.flush()).toBeUndefined()
  expect(batches.flat()).toEqual(Array.from({ length: 2000 }, (_, index) => index))
  expect(batches.length).toBeLessThanOrEqual(3)
})

test('neighbouring pieces of one stream become one event, bounded, and never across steps', async () => {
  const written: EventDraft[] = []
  const writer = createBatchWriter((drafts) => {
    written.push(...drafts)
    return Promise.resolve(ok(undefined))
  }, nothing)
  for (const text of ['a', 'b', 'c']) writer.add(piece(text))
  writer.add(piece('d', 2))
  writer.add(piece('x'.repeat(16 * 1024), 2))
  await writer.flush()
  const texts = written.map(({ data }) => Object(data).chunk.text)
  expect(texts).toEqual(['abc', 'd', 'x'.repeat(16 * 1024)])
})

test('after a failure nothing more is written, and everybody is told', async () => {
  const failure = toolError('io_failed', 'The disk is full.')
  const told: ToolError[] = []
  let tries = 0
  const writer = createBatchWriter(
    () => {
      tries += 1
      return Promise.resolve(fail(failure))
    },
    (error) => told.push(error),
  )
  writer.add(note('1'))
  expect(await writer.flush()).toEqual(failure)
  writer.add(note('2'))
  expect(await writer.flush()).toEqual(failure)
  expect(told).toEqual([failure])
  expect(tries).toBe(1)
})
