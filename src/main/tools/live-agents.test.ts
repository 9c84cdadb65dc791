import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fail, ok } from '../../shared/result.ts'
import type { SessionId } from '../../shared/session-id.ts'
import { toolError } from '../../shared/tool-error.ts'
import type { LiveStatus } from '../agents/agent.ts'
import { createCreationGuard } from './creation-limits.ts'
import { listSessions } from './session-list.ts'
import type { TermsFor } from './session-terms.ts'
import {
  HOST,
  idOf,
  makeMain,
  makeTestHome,
  noWorktrees,
  session,
  snapshotOf,
  valueOf,
  type TestHome,
} from './testing/test-home.ts'
import { createTools, type Tools } from './tools.ts'

let home: TestHome
let main: SessionId
let woken: SessionId[]
let live: Map<SessionId, LiveStatus>

beforeEach(async () => {
  home = await makeTestHome()
  main = await makeMain(home)
  woken = []
  live = new Map()
})
afterEach(() => home.remove())

function tools(more: Partial<Parameters<typeof createTools>[0]> = {}): Tools {
  return createTools({
    tree: home.tree,
    worktrees: noWorktrees,
    pendingFolder: home.paths.pending,
    rootCreationPermitted: true,
    agents: { wake: (id) => woken.push(id), status: (id) => live.get(id) },
    ...more,
  })
}

const working: LiveStatus = { state: 'running', requests: [], since: 1 }

describe('the host of live agents', () => {
  it('is told of the work that a creation and a message bring, once each, when they are on disk', async () => {
    const seen: unknown[] = []
    const made = tools({
      agents: {
        wake(id) {
          woken.push(id)
          seen.push(home.tree.locate(id))
        },
        status: () => undefined,
      },
    })
    const child = valueOf(await made.session_create({ prompt: 'Go' }, session(main)))
    valueOf(await made.session_send({ session_id: child.session_id, message: 'More' }, session(main)))
    expect(woken).toEqual([child.session_id, child.session_id])
    expect(await Promise.all(seen)).toMatchObject([{ ok: true }, { ok: true }])
  })

  it('is told of nothing that was refused', async () => {
    await tools().session_create({ prompt: '' }, session(main))
    await tools().session_create({ prompt: 'Go', cwd: '/nowhere/at/all' }, session(main))
    await tools().session_send({ session_id: main, message: 'Go' }, session(main))
    expect(woken).toEqual([])
  })
})

describe('a status', () => {
  it('is running or idle where an agent is live, and what the log says elsewhere', async () => {
    const fork = valueOf(await tools().session_create({ prompt: 'Go', fork: true }, session(main)))
    const subagent = valueOf(await tools().session_create({ prompt: 'Go' }, session(fork.session_id)))
    const waits = valueOf(await tools().session_create({ prompt: 'Go' }, session(main)))
    live.set(idOf(fork.session_id), working)
    live.set(idOf(subagent.session_id), { state: 'idle', requests: [] })
    live.set(idOf(waits.session_id), { state: 'queued', requests: [] })
    const before = await snapshotOf(home.paths.home)
    const { tree } = valueOf(await tools().session_status({}, session(main)))
    expect(tree).toMatchObject({
      session_id: main,
      status: 'cold',
      forks: [{ status: 'running', subagents: [{ status: 'idle' }] }],
      subagents: [{ session_id: waits.session_id, status: 'cold' }],
    })
    expect(await snapshotOf(home.paths.home)).toEqual(before)
    expect(woken).toHaveLength(3)
    expect(await listSessions(home.tree, { status: (id) => live.get(id) })).toEqual([tree])
  })
})

const knowsNone: TermsFor = async () => fail(toolError('unknown_preset', 'There is none.', { field: 'preset' }))

describe('the terms of a new session', () => {
  it('are in its header and log, and are settled once it is published', async () => {
    const settled: boolean[] = []
    const termsFor: TermsFor = async ({ asked, budget, parent, now }) => {
      expect(parent?.place.id).toBe(main)
      const note = { type: 'session-tree/envelope', time: now, data: { limit: budget }, ignorable: true as const }
      return ok({ agentPreset: `${asked}!`, notes: [note], settle: () => settled.push(true) })
    }
    const request = { prompt: 'Go', preset: 'shell' }
    const made = valueOf(await tools({ termsFor }).session_create(request, session(main), { budget: 500 }))
    expect(settled).toEqual([true])
    const place = valueOf(await home.tree.locate(idOf(made.session_id)))
    expect((await home.tree.facts(place)).header).toMatchObject({ agentPreset: 'shell!' })
    const page = valueOf(await home.tree.read(place.id, { after: 0, lines: 9 }))
    expect(page.lines[1]).toMatchObject({ event: { type: 'session-tree/envelope', data: { limit: 500 } } })
    expect(page.lines[2]).toMatchObject({ event: { type: 'agent/inbox/spliced' } })
  })

  it('may refuse it, and then nothing is made', async () => {
    const before = await snapshotOf(home.paths.home)
    const refused = await tools({ termsFor: knowsNone }).session_create({ prompt: 'Go', preset: 'x' }, session(main))
    expect(refused).toMatchObject({ error: { code: 'unknown_preset', field: 'preset' } })
    expect(await snapshotOf(home.paths.home)).toEqual(before)
    expect(woken).toEqual([])
  })
})

describe('a tree', () => {
  it('has a deepest generation, which the sentence names', async () => {
    const limited = tools({ limits: { deepest: 2, mostChildren: 9 } })
    let parent: string = main
    for (let depth = 1; depth <= 2; depth += 1) {
      parent = valueOf(await limited.session_create({ prompt: 'Go' }, session(parent))).session_id
    }
    const before = await snapshotOf(home.paths.home)
    const refused = await limited.session_create({ prompt: 'Go' }, session(parent))
    expect(refused).toMatchObject({ error: { code: 'too_deep', message: expect.stringContaining('2 generations') } })
    expect(await snapshotOf(home.paths.home)).toEqual(before)
  })

  it('has a most of children for each session, also when they are asked for all at once', async () => {
    const limited = tools({ limits: { deepest: 9, mostChildren: 3 } })
    const asked = Array.from({ length: 8 }, () => limited.session_create({ prompt: 'Go' }, session(main)))
    const results = await Promise.all(asked)
    expect(results.filter(({ ok: made }) => made).length).toBeLessThanOrEqual(3)
    while ((await limited.session_create({ prompt: 'Go' }, session(main))).ok);
    const { tree } = valueOf(await limited.session_status({}, session(main)))
    expect(tree.subagents).toHaveLength(3)
    const refused = await limited.session_create({ prompt: 'Go', fork: true }, session(main))
    expect(refused).toMatchObject({
      error: { code: 'too_many_children', message: expect.stringContaining('3 children') },
    })
    const child = tree.subagents[0]?.session_id ?? ''
    expect(await limited.session_create({ prompt: 'Go' }, session(child))).toMatchObject({ ok: true })
    expect(await limited.session_create({ prompt: 'Go', cwd: home.cwd }, HOST)).toMatchObject({ ok: true })
  })

  it('gives a place back when a creation comes to nothing', async () => {
    const guard = createCreationGuard({ deepest: 9, mostChildren: 1 })
    const place = valueOf(await home.tree.locate(main))
    const giveBack = valueOf(await guard.admit(place))
    expect(await guard.admit(place)).toMatchObject({ error: { code: 'too_many_children' } })
    giveBack()
    expect(await guard.admit(place)).toMatchObject({ ok: true })
  })
})

it('a prompt of a mebibyte is taken, and one letter more is not', async () => {
  const letters = 1_048_576
  expect(await tools().session_create({ prompt: 'x'.repeat(letters) }, session(main))).toMatchObject({ ok: true })
  const refused = await tools().session_create({ prompt: 'x'.repeat(letters + 1) }, session(main))
  expect(refused).toMatchObject({ error: { code: 'invalid_request', field: 'prompt' } })
  expect(await tools().session_send({ session_id: main, message: 'x'.repeat(letters + 1) }, HOST)).toMatchObject({
    error: { code: 'invalid_request', field: 'message' },
  })
})
