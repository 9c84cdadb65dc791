import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ok } from '../../shared/result.ts'
import type { NewSession, SessionPlace } from '../session-tree/session-tree.ts'
import { createIn, errorOf, forkOf, valueOf } from '../session-tree/testing/tree-home.ts'
import { startDshBackend } from '../session-tree/testing/dsh-oracle.ts'
import type { Agent, AgentExit, StartAgent } from './agent.ts'
import { envelopeDrafts } from './budget.ts'
import { deferred } from './deferred.ts'
import { readNodes } from './nodes.ts'
import type { KnownPreset } from './presets.ts'
import { logOf, makeAgentHome, type AgentHome } from './testing/agent-home.ts'
import { scriptedAgents } from './testing/scripted-agent.ts'

/** Takes nine steps of 40 tokens for each prompt. */
const SPENDER: KnownPreset = { id: 'spender', label: 'Spender', kind: 'acp', command: 'x', source: 'file' }

const startSpender: StartAgent = () =>
  started(async (_prompt, log, signal) => {
    for (let step = 1; step <= 9 && !signal.aborted; step++) {
      log.startStep()
      if (signal.aborted) break
      const usage = { inputTokens: 10, outputTokens: 20, cacheReadTokens: 10 }
      log.assistantMessage({ content: [{ type: 'text', text: `step ${step}` }], usage })
      await log.flushed()
    }
    return { kind: signal.aborted ? 'aborted' : 'completed' }
  })

const startSlow: StartAgent = () =>
  started(async (_prompt, _log, signal) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    return { kind: 'aborted' }
  })

function started(prompt: Agent['prompt']): ReturnType<StartAgent> {
  const ended = deferred<AgentExit>()
  const stop = () => Promise.resolve(ended.resolve({ code: 0, signal: null, lastWords: '' }))
  return Promise.resolve(ok({ prompt, ended: ended.promise, stop }))
}

let home: AgentHome
beforeEach(() => {
  home = makeAgentHome({ presets: [SPENDER], startAgent: { acp: startSpender, shell: startSpender } })
})
afterEach(() => home.remove())

const withBudget = (budget: number | undefined, more: Partial<NewSession> = {}) =>
  createIn(home.tree, { cwd: home.cwd, agentPreset: 'spender', notes: envelopeDrafts({ budget }, 1), ...more })

async function child(parent: SessionPlace, budget?: number): Promise<SessionPlace> {
  const allocation = valueOf(await home.budgets.allocate(parent.id, budget, 0))
  const place = await withBudget(budget, { kind: 'subagent', parent: parent.id })
  allocation.settle()
  return place
}

describe('a child gets at most what its parent has left', () => {
  test('less the reserve, and what the others got; the refusal says the numbers', async () => {
    const main = await withBudget(1000)
    await child(main, 300)
    const refused = errorOf(await home.budgets.allocate(main.id, 701, 0))
    expect(refused).toMatchObject({ code: 'budget_exceeded', field: 'budget' })
    expect(refused.message).toContain('701 tokens was asked for')
    expect(refused.message).toContain('at most 700 tokens: 1000 in all, less 0 in reserve and 300 given')
    expect(errorOf(await home.budgets.allocate(main.id, 651, 50)).message).toContain('at most 650 tokens')
    valueOf(await home.budgets.allocate(main.id, 650, 50))
  })

  test('also where two ask at once, and again what came to nothing', async () => {
    const main = await withBudget(1000)
    const both = await Promise.all([home.budgets.allocate(main.id, 600, 0), home.budgets.allocate(main.id, 600, 0)])
    expect(both.map(({ ok: granted }) => granted)).toEqual([true, false])
    valueOf(both[0]).settle()
    valueOf(await home.budgets.allocate(main.id, 600, 0))
  })

  test('of the nearest ancestor that has a limit, where the parent has none', async () => {
    const main = await withBudget(1000)
    const between = await child(main)
    await child(between, 800)
    expect(errorOf(await home.budgets.allocate(between.id, 201, 0)).message).toContain(
      `${main.id} can give at most 200`,
    )
    expect(errorOf(await home.budgets.allocate(main.id, 201, 0)).code).toBe('budget_exceeded')
  })

  test('and without a limit anywhere, whatever it asks for', async () => {
    const main = await withBudget(undefined)
    valueOf(await home.budgets.allocate(main.id, 1_000_000, 0))
  })
})

test('a limit is never raised: the attempt is refused and recorded, also against an event that would raise it', async () => {
  const main = await withBudget(1000)
  expect(errorOf(await home.budgets.refuseRaise(main.id, 2000)).message).toContain('The attempt is recorded')
  // Lowering is no raise, and no more possible.
  expect(errorOf(await home.budgets.refuseRaise(main.id, 500)).message).toMatch(/changed to 500 tokens: [^.]*\. Make/)
  valueOf(await home.tree.appendNext(main.id, envelopeDrafts({ budget: 5000 }, 2)))
  const { nodes } = valueOf(await readNodes(home.tree, home.reader, main.id))
  expect(nodes[0]).toMatchObject({
    envelope: { limit: 1000 },
    rejected_raises: [{ limit: 1000, requested: 2000, reason: 'cap_raise_rejected' }],
  })
})

describe('a session that reaches its limit', () => {
  test('is stopped at its next step, ends with budget, and takes no more messages', async () => {
    const main = await withBudget(100)
    await home.settle(main.id)
    const log = logOf(main)
    // 120 tokens are spent when the limit of 100 is seen to be reached; the fourth step is not gone into.
    expect(log.filter(({ type }) => type === 'assistant/message')).toHaveLength(3)
    expect(log.at(-1)).toMatchObject({ type: 'session-tree/end', data: { reason: 'budget' } })
    expect(log.at(-2)).toMatchObject({ type: 'turn/end', data: { reason: { kind: 'aborted' } } })

    valueOf(await home.tree.queuePrompt(main.id, 'More.'))
    await home.settle(main.id)
    expect(home.host.trouble(main.id)).toMatchObject({ code: 'budget_exceeded' })
    expect(logOf(main)).toHaveLength(log.length + 1)
    const dsh = await startDshBackend()
    expect((await dsh.load(main.logPath)).repaired).toBe(false)
    await dsh.stop()
  })

  test('also where the agent tells only at the end of its turn what that cost', async () => {
    await home.remove()
    const { startAgent } = scriptedAgents(() => async (_prompt, log) => {
      log.assistantMessage({
        content: [{ type: 'text', text: 'All done.' }],
        usage: { inputTokens: 90, outputTokens: 10 },
      })
      return { kind: 'completed' }
    })
    home = makeAgentHome({ presets: [SPENDER], startAgent: { acp: startAgent, shell: startAgent } })
    const main = await withBudget(100)
    await home.settle(main.id)
    expect(logOf(main).at(-2)).toMatchObject({ type: 'turn/end', data: { reason: { kind: 'completed' } } })
    expect(logOf(main).at(-1)).toMatchObject({ type: 'session-tree/end', data: { reason: 'budget' } })
    const within = await withBudget(101)
    await home.settle(within.id)
    expect(logOf(within).at(-1)).toMatchObject({ type: 'session-tree/end', data: { reason: 'done' } })
  })

  test('takes those with it that draw on its limit', async () => {
    const main = await withBudget(100)
    const drawing = await child(main)
    await home.settle(drawing.id)
    expect(logOf(drawing).at(-1)).toMatchObject({ data: { reason: 'budget' } })
    await home.settle(main.id)
    expect(logOf(main).filter(({ type }) => type === 'turn/start')).toEqual([])
    expect(logOf(main).at(-1)).toMatchObject({ type: 'session-tree/end', data: { reason: 'budget' } })
  })

  test('and a step limit or a time limit end a turn as such', async () => {
    await home.remove()
    home = makeAgentHome({
      presets: [
        { ...SPENDER, stepLimit: 2 },
        { ...SPENDER, id: 'slow', kind: 'shell', timeLimit: 50 },
      ],
      startAgent: { acp: startSpender, shell: startSlow },
    })
    const steps = await withBudget(undefined)
    await home.settle(steps.id)
    expect(logOf(steps).at(-1)).toMatchObject({ data: { reason: 'max-iter' } })
    const time = await withBudget(undefined, { agentPreset: 'slow' })
    await home.settle(time.id)
    expect(logOf(time).at(-1)).toMatchObject({ data: { reason: 'timeout' } })
  })
})

test('the nodes of a tree: every field, what was spent below counted, a fork’s copied part not', async () => {
  const main = await withBudget(undefined)
  await home.settle(main.id)
  const fork = await forkOf(home.tree, main.id, {
    cwd: home.cwd,
    agentPreset: 'spender',
    notes: envelopeDrafts({ budget: 500, scope: ['src/**'], role: 'gardener' }, 1),
  })
  const below = await child(fork, 400)
  await home.settle(below.id)
  const { root_id, nodes, unreadable } = valueOf(await readNodes(home.tree, home.reader, main.id))
  expect(root_id).toBe(main.id)
  expect(unreadable).toEqual([])
  expect(nodes.map(({ id }) => id)).toEqual([main.id, fork.id, below.id])
  expect(nodes.map(({ envelope }) => envelope)).toEqual([
    { limit: null, spent: 720 },
    { limit: 500, spent: 360 },
    { limit: 400, spent: 360 },
  ])
  expect(nodes[1]).toMatchObject({
    root_id: main.id,
    parent_run_id: main.id,
    scope: ['src/**'],
    role: 'gardener',
    terminal_state: null,
    ended_at: null,
    transitions: [],
    rejected_raises: [],
  })
  expect(nodes[2]?.terminal_state).toMatchObject({ reason: 'done', outcome: 'completed' })
  expect(nodes[2]?.ended_at).toBe(nodes[2]?.terminal_state?.time)
})
