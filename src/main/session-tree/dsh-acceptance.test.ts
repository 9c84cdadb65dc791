import { existsSync } from 'node:fs'
import { cp, readFile } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { KNOWN_SESSION_EVENT_TYPES } from '@deepseek-ai/dsh-session'
import { KNOWN_EVENT_TYPES } from './event.ts'
import { startDshBackend, type DshBackend, type DshReading } from './testing/dsh-oracle.ts'
import { allOf, createIn, forkOf, makeTreeHome, turnDrafts, valueOf, type TreeHome } from './testing/tree-home.ts'
import type { SessionPlace } from './session-tree.ts'

// The real DSH backend is the judge: it must load what we write, and find nothing to repair in it.

let home: TreeHome
let dsh: DshBackend

beforeEach(async () => {
  home = makeTreeHome()
  dsh = await startDshBackend()
})

afterEach(async () => {
  await dsh.stop()
  home.remove()
})

async function accepted(place: SessionPlace): Promise<DshReading> {
  const reading = await dsh.load(place.logPath)
  expect(reading.repaired).toBe(false)
  expect(reading.meta.id).toBe(place.id)
  const ours = (await allOf(valueOf(await home.tree.load(place.id)).events)).map(valueOf)
  expect(reading.events).toEqual(ours)
  return reading
}

const types = (reading: DshReading) => reading.events.map((event) => event.type)

test('the vocabulary is the package’s own', () => {
  expect([...KNOWN_EVENT_TYPES].toSorted()).toEqual([...KNOWN_SESSION_EVENT_TYPES].toSorted())
})

describe('the real DSH backend loads', () => {
  test('a main', async () => {
    const main = await createIn(home.tree, {
      title: 'Apples',
      agentPreset: 'dsh',
      model: { provider: 'p', model: 'm' },
    })
    expect(types(await accepted(main))).toEqual(['session-tree/model', 'session/title', 'agent/inbox/spliced'])
  })

  test('a subagent, and a subagent of it', async () => {
    const main = await createIn(home.tree)
    const subagent = await createIn(home.tree, { kind: 'subagent', parent: main.id })
    const nested = await createIn(home.tree, { kind: 'subagent', parent: subagent.id })
    expect((await accepted(subagent)).meta).toMatchObject({
      parentSession: main.id,
      origin: 'subagent',
      delegationDepth: 1,
    })
    expect((await accepted(nested)).meta).toMatchObject({ parentSession: subagent.id, delegationDepth: 2 })
  })

  test('a fork after a finished turn', async () => {
    const main = await createIn(home.tree)
    valueOf(await home.tree.appendNext(main.id, turnDrafts(1, 'Count the apples.')))
    const fork = await forkOf(home.tree, main.id, { prompt: 'Count the pears instead.' })
    const reading = await accepted(fork)
    expect(types(reading).slice(-3)).toEqual(['turn/end', 'session/end-seed', 'agent/inbox/spliced'])
    expect(reading.meta).toMatchObject({ seedLength: 8, delegationDepth: 0, parentSession: main.id })
    expect(reading.meta).not.toHaveProperty('origin')
  })

  test('a fork inside an open turn, closed by the child’s own first record', async () => {
    const main = await createIn(home.tree)
    const [turnEnd, ...rest] = turnDrafts(1, 'Count the apples.').toReversed()
    valueOf(await home.tree.appendNext(main.id, rest.toReversed()))
    valueOf(await home.tree.appendNext(main.id, [{ type: 'step/start', time: 1, data: { turn: 1, step: 2 } }]))
    const fork = await forkOf(home.tree, main.id)
    const reading = await accepted(fork)
    expect(reading.meta.seedLength).toBe(7)
    expect(reading.events[7]).toEqual({
      type: 'turn/end',
      seq: 7,
      time: turnEnd?.time,
      data: { turn: 1, reason: { kind: 'interrupted' } },
    })
    expect(types(reading).slice(8)).toEqual(['session/end-seed', 'agent/inbox/spliced'])
  })

  test('a fork of a main without a completed step: nothing is copied', async () => {
    const main = await createIn(home.tree)
    const fork = await forkOf(home.tree, main.id)
    const reading = await accepted(fork)
    expect(reading.meta.seedLength).toBe(0)
    expect(types(reading)).toEqual(['agent/inbox/spliced'])
  })

  test('a subagent of a fork', async () => {
    const main = await createIn(home.tree)
    valueOf(await home.tree.appendNext(main.id, turnDrafts(1, 'Count the apples.')))
    const fork = await forkOf(home.tree, main.id)
    const subagent = await createIn(home.tree, { kind: 'subagent', parent: fork.id })
    expect((await accepted(subagent)).meta).toMatchObject({ parentSession: fork.id, delegationDepth: 1 })
  })

  test('a renamed session with a second prompt waiting', async () => {
    const main = await createIn(home.tree, { title: 'Apples' })
    valueOf(await home.tree.rename(main.id, 'Pears'))
    valueOf(await home.tree.queuePrompt(main.id, 'And the plums.'))
    const reading = await accepted(main)
    expect(reading.events.at(1)).toMatchObject({ type: 'agent/inbox/spliced', data: { start: 0 } })
    expect(reading.events.at(-1)).toMatchObject({ type: 'agent/inbox/spliced', data: { start: 1 } })
  })

  test('a session that was adopted', async () => {
    const main = await createIn(home.tree)
    const id = 'session-0f010000-0000-4000-8000-000000000001'
    const events = turnDrafts(1, 'Old work').map((draft, seq) => ({ ...draft, seq }))
    const place = valueOf(
      await home.tree.adopt({
        header: {
          type: 'session',
          version: 0,
          id,
          createdAt: 5,
          delegationDepth: 1,
          origin: 'subagent',
          parentSession: main.id,
          kind: 'subagent',
          parent_session_id: main.id,
          root_session_id: main.id,
        },
        parent: main.id,
        events,
      }),
    )
    expect((await accepted(place)).events).toHaveLength(events.length)
  })
})

const FIXTURE = new URL('../../../../shared/fixtures/dsh/tree/', import.meta.url)

describe.runIf(existsSync(FIXTURE))('from logs that the real DSH wrote', () => {
  test('a fork of each main is accepted', async () => {
    await cp(FIXTURE, home.root, { recursive: true })
    for (const main of await home.tree.mains()) {
      const fork = await forkOf(home.tree, main.id)
      const copied = await readFile(fork.logPath)
      const original = await readFile(main.logPath)
      const boundary = valueOf(await home.tree.boundary(main.id))
      await accepted(fork)
      expect(copied.includes(original.subarray(boundary.from, boundary.to))).toBe(true)
    }
  })
})
