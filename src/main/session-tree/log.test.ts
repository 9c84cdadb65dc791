import { appendFileSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SessionEvent } from '../../shared/session-event.ts'
import type { SessionPlace } from './session-tree.ts'
import {
  allOf,
  createIn,
  errorOf,
  eventsIn,
  makeTreeHome,
  sessionId,
  turnDrafts,
  valueOf,
  type TreeHome,
} from './testing/tree-home.ts'
import { openSessionTree } from './tree-provider.ts'

let home: TreeHome
let main: SessionPlace

beforeEach(async () => {
  home = makeTreeHome()
  main = await createIn(home.tree)
})

afterEach(() => home.remove())

const title = (seq: number, text = 'T'): SessionEvent => ({
  type: 'session/title',
  seq,
  time: 1,
  data: { title: text, messageSeqs: [], source: { kind: 'user' } },
})
const read = () => readFileSync(main.logPath, 'utf8')
const seqs = () => eventsIn(main.logPath).map((event) => event.seq)

describe('append', () => {
  test('continues the log, and says where it ends', async () => {
    const before = read()
    const receipt = valueOf(await home.tree.append(main.id, [title(1), title(2)]))
    expect(receipt).toEqual({ firstSeq: 1, lastSeq: 2, size: statSync(main.logPath).size })
    expect(read()).toBe(`${before}${JSON.stringify(title(1))}\n${JSON.stringify(title(2))}\n`)
  })

  test.each([
    ['a gap', [title(2)]],
    ['a repeated seq', [title(0)]],
    ['a gap inside the batch', [title(1), title(3)]],
  ])('refuses %s, and writes nothing', async (_name, events) => {
    const before = read()
    const error = errorOf(await home.tree.append(main.id, events))
    expect(error).toMatchObject({ code: 'events_not_contiguous', path: main.logPath, field: 'seq' })
    expect(error.message).toMatch(/seq \d+, but seq \d+/)
    expect(read()).toBe(before)
  })

  test('keeps the order of calls, and numbers drafts by the log’s own end', async () => {
    const titles = Array.from({ length: 40 }, (_, index) => `Title ${index}`)
    const receipts = await Promise.all(titles.map((text) => home.tree.rename(main.id, text)))
    expect(receipts.map((receipt) => valueOf(receipt).firstSeq)).toEqual(titles.map((_, index) => index + 1))
    expect(eventsIn(main.logPath).slice(1)).toMatchObject(titles.map((text) => ({ data: { title: text } })))
  })

  test('a refused append does not stop the ones behind it', async () => {
    const [first, refused, last] = await Promise.all([
      home.tree.append(main.id, [title(1)]),
      home.tree.append(main.id, [title(7)]),
      home.tree.append(main.id, [title(2)]),
    ])
    expect([first?.ok, refused?.ok, last?.ok]).toEqual([true, false, true])
  })

  test('sees what another program appended meanwhile', async () => {
    valueOf(await home.tree.append(main.id, [title(1)]))
    appendFileSync(main.logPath, `${JSON.stringify(title(2, 'foreign'))}\n`)
    expect(errorOf(await home.tree.append(main.id, [title(2)])).code).toBe('events_not_contiguous')
    expect(valueOf(await home.tree.appendNext(main.id, [title(0)])).firstSeq).toBe(3)
    expect(seqs()).toEqual([0, 1, 2, 3])
  })

  test('sees that the log was replaced by a shorter one', async () => {
    valueOf(await home.tree.append(main.id, [title(1), title(2)]))
    writeFileSync(main.logPath, `${read().split('\n').slice(0, 2).join('\n')}\n`)
    expect(valueOf(await home.tree.appendNext(main.id, [title(0)])).firstSeq).toBe(1)
  })

  test('continues behind packed rows that DSH wrote', async () => {
    const row = {
      type: 'text-chunks',
      seq0: 1,
      time0: 1,
      data: { turn: 1, step: 1, index: 0, dt: [0, 1], texts: ['a', 'b', 'c'] },
    }
    appendFileSync(main.logPath, `${JSON.stringify(row)}\n`)
    expect(valueOf(await home.tree.appendNext(main.id, [title(0)])).firstSeq).toBe(4)
  })

  test.each([
    ['an unknown field', { ...title(1), extra: 1 }, 'invalid_request'],
    ['a fraction of a millisecond', { ...title(1), time: 1.5 }, 'invalid_request'],
    ['a message without surfaceOp', { ...title(1), type: 'user/message' }, 'invalid_request'],
    ['a type DSH does not know', { ...title(1), type: 'session-tree/budget' }, 'unknown_event'],
  ])('refuses an event with %s: DSH would refuse the log', async (_name, event, code) => {
    const before = read()
    expect(errorOf(await home.tree.append(main.id, [event])).code).toBe(code)
    expect(read()).toBe(before)
  })

  test('takes our own types when they are marked ignorable', async () => {
    const event: SessionEvent = { type: 'session-tree/budget', seq: 1, time: 1, data: {}, ignorable: true }
    expect(valueOf(await home.tree.append(main.id, [event])).lastSeq).toBe(1)
  })

  test('refuses a session that is nowhere, and one whose log is missing', async () => {
    const nowhere = sessionId('session-0f010000-0000-4000-8000-000000000001')
    expect(errorOf(await home.tree.append(nowhere, [title(0)])).code).toBe('unknown_session')
    rmSync(main.logPath)
    expect(errorOf(await home.tree.append(main.id, [title(1)])).code).toBe('log_missing')
  })

  test('refuses a log whose header says another session or another version', async () => {
    const sound = read()
    writeFileSync(main.logPath, sound.replace('"version":0', '"version":3'))
    expect(errorOf(await home.tree.rename(main.id, 'T')).code).toBe('unsupported_version')
    writeFileSync(main.logPath, sound.replace('"kind":"main"', '"kind":"fork"'))
    expect(errorOf(await home.tree.rename(main.id, 'T')).code).toBe('layout_mismatch')
  })
})

describe('a log that ends in a cut line', () => {
  test('loses the torn rest, never a record, and nothing is glued to it', async () => {
    const sound = read()
    appendFileSync(main.logPath, JSON.stringify(title(1)).slice(0, 30))
    expect(valueOf(await home.tree.appendNext(main.id, [title(0, 'after')])).firstSeq).toBe(1)
    expect(read()).toBe(`${sound}${JSON.stringify(title(1, 'after'))}\n`)
  })

  test('keeps a whole record that only lacks its newline', async () => {
    valueOf(await home.tree.append(main.id, [title(1)]))
    truncateSync(main.logPath, statSync(main.logPath).size - 1)
    const other = openSessionTree(home.root)
    expect(valueOf(await other.appendNext(main.id, [title(0)])).firstSeq).toBe(2)
    expect(seqs()).toEqual([0, 1, 2])
  })

  test('drops a whole record that does not continue the log', async () => {
    appendFileSync(main.logPath, JSON.stringify(title(9)))
    expect(valueOf(await home.tree.appendNext(main.id, [title(0)])).firstSeq).toBe(1)
    expect(seqs()).toEqual([0, 1])
  })

  test('drops zero bytes that a crash left', async () => {
    appendFileSync(main.logPath, Buffer.alloc(5000))
    expect(valueOf(await home.tree.appendNext(main.id, [title(0)])).firstSeq).toBe(1)
    expect(seqs()).toEqual([0, 1])
  })

  test('is left alone by everything that only looks', async () => {
    appendFileSync(main.logPath, '{"type":"session/ti')
    const before = { text: read(), mtime: statSync(main.logPath).mtimeMs }
    await home.tree.facts(main)
    await home.tree.view(main.id)
    await home.tree.read(main.id, { lines: 10 })
    await home.tree.boundary(main.id)
    expect(await allOf(valueOf(await home.tree.load(main.id)).events)).toHaveLength(1)
    expect({ text: read(), mtime: statSync(main.logPath).mtimeMs }).toEqual(before)
  })
})

test('damage in the last line is not buried: the append is refused', async () => {
  appendFileSync(main.logPath, '{"type":"session/ti\n')
  const before = read()
  expect(errorOf(await home.tree.rename(main.id, 'T'))).toMatchObject({ code: 'log_damaged', path: main.logPath })
  expect(read()).toBe(before)
})

test('blank lines at the end are no damage', async () => {
  appendFileSync(main.logPath, '\n\r\n')
  expect(valueOf(await home.tree.rename(main.id, 'T')).firstSeq).toBe(1)
})

test('a last line of several MiB is found and continued', async () => {
  valueOf(await home.tree.append(main.id, [title(1, 'x'.repeat(5_000_000))]))
  expect(valueOf(await openSessionTree(home.root).rename(main.id, 'T')).firstSeq).toBe(2)
})

describe('prompts', () => {
  test('are queued behind those of the session’s own that still wait', async () => {
    valueOf(await home.tree.queuePrompt(main.id, 'second'))
    valueOf(await home.tree.appendNext(main.id, turnDrafts(1, 'first')))
    valueOf(await home.tree.queuePrompt(main.id, 'third'))
    const queued = eventsIn(main.logPath).filter((event) => JSON.stringify(event.data).includes('"text"'))
    expect(queued.filter((event) => event.type === 'agent/inbox/spliced')).toMatchObject(
      [0, 1, 1].map((start) => ({ data: { start } })),
    )
  })

  test('that another program queued or took meanwhile are counted', async () => {
    valueOf(await home.tree.queuePrompt(main.id, 'second'))
    const [, taken] = turnDrafts(1, 'first')
    appendFileSync(main.logPath, `${JSON.stringify({ ...taken, seq: 2 })}\n`)
    valueOf(await home.tree.queuePrompt(main.id, 'third'))
    expect(eventsIn(main.logPath).at(-1)?.data).toMatchObject({ start: 1 })
  })

  test('of the parent that a fork’s seed holds are not the fork’s', async () => {
    // A prompt queued inside a step is copied with it.
    valueOf(await home.tree.appendNext(main.id, turnDrafts(1, 'first').slice(0, 5)))
    valueOf(await home.tree.queuePrompt(main.id, 'the parent’s next'))
    valueOf(await home.tree.appendNext(main.id, turnDrafts(1, 'first').slice(5)))
    const boundary = valueOf(await home.tree.boundary(main.id))
    const fork = await createIn(home.tree, { kind: 'fork', parent: main.id, boundary, prompt: 'own' })
    valueOf(await home.tree.queuePrompt(fork.id, 'own second'))
    expect(eventsIn(fork.logPath).at(-1)?.data).toMatchObject({ target: 'next-turn', start: 1 })
  })
})
