import { decodeStorageRecord, packChunkRuns } from '@deepseek-ai/dsh-session'
import { describe, expect, test } from 'vitest'
import { asRecord, envelopeFault } from './event.ts'
import { isPackedType, mergeRow, readPackedRow, unpackRow } from './packed-row.ts'

const chunk = (seq: number, piece: object) => ({
  type: 'assistant/chunk' as const,
  seq,
  time: 1000 + ((seq * 7) % 5),
  data: { turn: 1, step: 2, chunk: piece },
})

function unpack(value: unknown) {
  const row = readPackedRow(asRecord(value) ?? {})
  if (typeof row === 'string') throw new Error(row)
  return unpackRow(row)
}

describe('packed rows', () => {
  const runs = [
    ['text', Array.from({ length: 5 }, (_, seq) => chunk(seq, { type: 'text-delta', index: 0, text: `t${seq}` }))],
    [
      'reasoning',
      Array.from({ length: 3 }, (_, seq) => chunk(seq, { type: 'reasoning-delta', index: 1, text: `r${seq}` })),
    ],
    [
      'call',
      Array.from({ length: 4 }, (_, seq) =>
        chunk(seq, { type: 'tool-call-delta', index: 2, id: 'c', argumentsDelta: `a${seq}` }),
      ),
    ],
    [
      'named call',
      Array.from({ length: 4 }, (_, seq) =>
        chunk(seq, { type: 'tool-call-delta', index: 2, id: 'c', name: 'bash', argumentsDelta: '' }),
      ),
    ],
  ] as const

  test.each(runs)('of DSH’s own packing come back as they were: %s', (_name, events) => {
    const [row, ...rest]: unknown[] = packChunkRuns(JSON.parse(JSON.stringify(events)))
    expect(rest).toEqual([])
    expect(isPackedType(asRecord(row)?.['type'])).toBe(true)
    expect(unpack(row)).toEqual(events)
    expect(unpack(row)).toEqual(decodeStorageRecord(row))
  })

  test('merge to one event for a viewer', () => {
    const [, events] = runs[0]
    const [packed]: unknown[] = packChunkRuns(JSON.parse(JSON.stringify(events)))
    const row = readPackedRow(asRecord(packed) ?? {})
    expect(typeof row === 'string' ? row : mergeRow(row)).toMatchObject({
      seq: 0,
      data: { chunk: { text: 't0t1t2t3t4' } },
    })
  })

  const data = { turn: 1, step: 1, index: 0, dt: [0, 1], texts: ['a', 'b', 'c'] }
  const row = { type: 'text-chunks', seq0: 3, time0: 5, data }
  test.each([
    ['a further field', { ...row, more: 1 }],
    ['no data', { ...row, data: undefined }],
    ['further data', { ...row, data: { ...data, more: 1 } }],
    ['a negative seq', { ...row, seq0: -1 }],
    ['a fractional time', { ...row, time0: 0.5 }],
    ['no pieces', { ...row, data: { ...data, texts: [], dt: [] } }],
    ['a piece that is no text', { ...row, data: { ...data, texts: ['a', 1, 'c'] } }],
    ['too few times', { ...row, data: { ...data, dt: [0] } }],
    [
      'a call without an id',
      { ...row, type: 'tool-call-chunks', data: { turn: 1, step: 1, index: 0, dt: [], args: ['a'] } },
    ],
  ])('that DSH refuses are refused: %s', (_name, value) => {
    expect(() => decodeStorageRecord(value)).toThrow()
    expect(typeof readPackedRow(asRecord(value) ?? {})).toBe('string')
  })
})

test('the envelope is held to DSH’s rules', () => {
  const event = { type: 'user/message', seq: 3, time: 1, data: {}, surfaceOp: 'append' }
  expect(envelopeFault(event)).toBeUndefined()
  expect(
    envelopeFault({ ...event, surfaceOp: { op: 'replace', start: 0, end: 2 }, sourceEventSeqs: [0, 1] }),
  ).toBeUndefined()
  expect(envelopeFault({ ...event, type: 'todo/write', surfaceOp: undefined })).toBeUndefined()
  const refused = [
    null,
    [],
    { ...event, extra: 1 },
    { ...event, type: 1 },
    { ...event, seq: -1 },
    { ...event, seq: '3' },
    { ...event, time: 1.5 },
    { ...event, data: undefined },
    { ...event, ignorable: false },
    { ...event, surfaceOp: undefined },
    { ...event, surfaceOp: 'prepend' },
    { ...event, surfaceOp: { op: 'replace', start: 0 } },
    { ...event, sourceEventSeqs: 0 },
    { ...event, sourceEventSeqs: [] },
    { ...event, sourceEventSeqs: [3] },
    { ...event, sourceEventSeqs: [1, 1] },
    { ...event, type: 'todo/write' },
    { ...event, type: 'todo/write', surfaceOp: undefined, sourceEventSeqs: [1] },
  ]
  for (const value of refused) expect(envelopeFault(value)).toEqual(expect.any(String))
})
