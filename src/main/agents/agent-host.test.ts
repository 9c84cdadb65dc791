import { existsSync, readdirSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { fail } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import type { SessionPlace } from '../session-tree/session-tree.ts'
import { errorOf, valueOf } from '../session-tree/testing/tree-home.ts'
import type { StartAgent } from './agent.ts'
import { envelopeDrafts } from './budget.ts'
import { deferred } from './deferred.ts'
import type { KnownPreset } from './presets.ts'
import { waitingMessages } from './claim.ts'
import { RAISE_EVENT } from './own-events.ts'
import { logOf, makeAgentHome, untilLogged, type AgentHome } from './testing/agent-home.ts'
import { aborted, scriptedAgents } from './testing/scripted-agent.ts'

const ACP: KnownPreset = { id: 'acp', label: 'Agent', kind: 'acp', command: 'x', source: 'file' }

let home: AgentHome
afterEach(() => home.remove())

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5))
}

test('no more run at once than may; the rest wait in the order in which they came', async () => {
  const gates = Array.from({ length: 5 }, () => deferred<void>())
  const order: string[] = []
  let running = 0
  let most = 0
  const { startAgent } = scriptedAgents(() => async ({ text }) => {
    order.push(text)
    running += 1
    most = Math.max(most, running)
    await gates[Number(text)]?.promise
    running -= 1
    return { kind: 'completed' }
  })
  home = makeAgentHome({ presets: [ACP], atOnce: async () => 2, startAgent: { acp: startAgent, shell: startAgent } })
  const places: SessionPlace[] = []
  for (let index = 0; index < 5; index++) places.push(await home.session(String(index), { agentPreset: 'acp' }))
  for (const { id } of places) home.host.wake(id)
  await until(() => order.length === 2)
  const states = places.map(({ id }) => home.host.status(id)?.state)
  expect(states).toEqual(['running', 'running', 'queued', 'queued', 'queued'])
  for (const [index, { id }] of places.entries()) {
    gates[index]?.resolve()
    await until(() => order.length === Math.min(5, index + 3))
    // It has nothing more to do, so it does not stand in line behind those that wait.
    await until(() => home.host.status(id)?.state === 'idle')
  }
  expect(places.map(({ id }) => home.host.status(id)?.state)).toEqual(places.map(() => 'idle'))
  // The first two start side by side.
  expect(order.slice(0, 2).toSorted()).toEqual(['0', '1'])
  expect(order.slice(2)).toEqual(['2', '3', '4'])
  expect(most).toBe(2)
})

test('a message sent while a turn runs waits, and can be withdrawn until it is taken', async () => {
  const gate = deferred<void>()
  const taken: string[] = []
  const { startAgent, started } = scriptedAgents(() => async ({ text }) => {
    taken.push(text)
    await gate.promise
    return { kind: 'completed' }
  })
  home = makeAgentHome({ presets: [ACP], startAgent: { acp: startAgent, shell: startAgent } })
  const place = await home.session('first', { agentPreset: 'acp' })
  home.host.wake(place.id)
  await until(() => taken.length === 1)
  for (const text of ['second', 'third', 'fourth']) {
    valueOf(await home.tree.queuePrompt(place.id, text))
    home.host.wake(place.id)
  }
  const waiting = waitingMessages(valueOf(await home.reader.read(place.id)).state.inbox)
  expect(waiting).toHaveLength(3)
  valueOf(await home.host.withdraw(place.id, waiting[1]?.message.id ?? ''))
  expect(errorOf(await home.host.withdraw(place.id, waiting[1]?.message.id ?? '')).code).toBe('invalid_request')
  gate.resolve()
  await home.settle(place.id)
  expect(taken).toEqual(['first', 'second', 'fourth'])
  expect(started).toHaveLength(1)
})

test('an agent that dies ends its turn as an error with its last words; the next message starts another', async () => {
  const { startAgent, started } = scriptedAgents((agent) => async ({ text }, log) => {
    if (text === 'fine') return { kind: 'completed' }
    log.toolCall({ callId: 'c1', name: 'bash', arguments: '{}' })
    agent.die({ code: null, signal: 'SIGSEGV', lastWords: 'out of cheese' })
    return new Promise(() => undefined)
  })
  home = makeAgentHome({ presets: [ACP], startAgent: { acp: startAgent, shell: startAgent } })
  const place = await home.session('crash', { agentPreset: 'acp' })
  await home.settle(place.id)
  const [result, , turnEnd, end] = logOf(place).slice(-4)
  expect(result).toMatchObject({ type: 'tool/result', data: { error: { code: 'TOOL_OUTCOME_UNKNOWN' } } })
  expect(turnEnd?.data).toMatchObject({
    reason: { kind: 'error', error: { code: 'agent_failed', message: expect.stringContaining('out of cheese') } },
  })
  expect(end?.data).toMatchObject({ reason: 'error' })
  expect((await home.tree.facts(place)).status).toBe('failed')
  expect(home.host.status(place.id)).toBeUndefined()
  expect(started).toHaveLength(1)
  expect(home.revoked).toEqual(home.tokens)

  valueOf(await home.tree.queuePrompt(place.id, 'fine'))
  await home.settle(place.id)
  expect(started).toHaveLength(2)
  expect((await home.tree.facts(place)).status).toBe('cold')
})

const unable: StartAgent = () => Promise.resolve(fail(toolError('agent_failed', 'No such program.')))

test('one that cannot be started fails its turn, once', async () => {
  home = makeAgentHome({ presets: [ACP], startAgent: { acp: unable, shell: unable } })
  const place = await home.session('x', { agentPreset: 'acp' })
  await home.settle(place.id)
  expect(logOf(place).filter(({ type }) => type === 'turn/start')).toHaveLength(1)
  expect(logOf(place).at(-2)?.data).toMatchObject({ reason: { kind: 'error', error: { message: 'No such program.' } } })
  expect(home.tokens).toEqual(home.revoked)
})

test('without a preset the message waits, and the reason is told once; nothing is written', async () => {
  home = makeAgentHome()
  const place = await home.session('rm -rf /', { agentPreset: 'gone' })
  const before = logOf(place)
  await home.settle(place.id)
  await home.settle(place.id)
  expect(home.host.trouble(place.id)).toMatchObject({ code: 'unknown_preset' })
  expect(home.reports).toHaveLength(1)
  expect(logOf(place)).toEqual(before)
})

test('an idle agent is ended, unless something it has started goes on', async () => {
  const { startAgent, started } = scriptedAgents(() => () => Promise.resolve({ kind: 'completed' }))
  home = makeAgentHome({ presets: [ACP], idleMs: 20, startAgent: { acp: startAgent, shell: startAgent } })
  const place = await home.session('x', { agentPreset: 'acp' })
  await home.settle(place.id)
  await until(() => home.host.status(place.id) === undefined)
  valueOf(await home.tree.queuePrompt(place.id, 'again'))
  await home.settle(place.id)
  expect(started).toHaveLength(2)
})

test('closing ends what runs, writes how it ended, and starts nothing more', async () => {
  const { startAgent, started } = scriptedAgents(() => async (_prompt, _log, signal) => {
    await aborted(signal)
    return { kind: 'aborted' }
  })
  home = makeAgentHome({ presets: [ACP], atOnce: async () => 1, startAgent: { acp: startAgent, shell: startAgent } })
  const running = await home.session('x', { agentPreset: 'acp' })
  const queued = await home.session('y', { agentPreset: 'acp' })
  for (const { id } of [running, queued]) home.host.wake(id)
  await untilLogged(running, ({ type }) => type === 'turn/start')
  await home.host.close()
  expect(
    logOf(running)
      .slice(-2)
      .map(({ data }) => data),
  ).toMatchObject([
    { reason: { kind: 'aborted', reason: { kind: 'disposed' } } },
    { reason: 'interrupt', outcome: 'Treeline was closed' },
  ])
  expect(logOf(queued)).toHaveLength(1)
  home.host.wake(queued.id)
  expect(started.length).toBeLessThanOrEqual(1)
  expect(home.host.status(queued.id)).toBeUndefined()
})

test('what waits when a session is stopped goes on with the next message, not by itself', async () => {
  const taken: string[] = []
  const { startAgent, started } = scriptedAgents(() => async ({ text }, _log, signal) => {
    taken.push(text)
    if (text === 'first') await aborted(signal)
    return { kind: signal.aborted ? 'aborted' : 'completed' }
  })
  home = makeAgentHome({ presets: [ACP], startAgent: { acp: startAgent, shell: startAgent } })
  const place = await home.session('first', { agentPreset: 'acp' })
  valueOf(await home.tree.queuePrompt(place.id, 'second'))
  home.host.wake(place.id)
  await until(() => taken.length === 1)
  await home.host.stop(place.id)
  expect(taken).toEqual(['first'])
  expect(home.host.status(place.id)).toBeUndefined()
  expect(logOf(place).at(-1)?.data).toMatchObject({ reason: 'killed' })
  expect(readdirSync(home.paths.agents)).toEqual([])
  await home.settle(place.id)
  expect(taken).toEqual(['first', 'second'])
  expect(started).toHaveLength(2)
})

test('a session is on record before anything of it is claimed, and until its turn is closed in the log', async () => {
  const records = () => (existsSync(home.paths.agents) ? readdirSync(home.paths.agents).length : 0)
  let atStart = 0
  const { startAgent } = scriptedAgents((agent) => () => {
    agent.die({ code: 1, signal: null, lastWords: '' })
    return new Promise(() => undefined)
  })
  home = makeAgentHome({
    presets: [ACP],
    startAgent: {
      acp: (start) => {
        atStart = records()
        return startAgent(start)
      },
      shell: startAgent,
    },
  })
  const seen: { claimed: boolean; closed: boolean; records: number }[] = []
  const place = await home.session('x', { agentPreset: 'acp' })
  const stop = home.host.onChange(() => {
    const types = logOf(place).map(({ type }) => type)
    seen.push({ claimed: types.includes('turn/start'), closed: types.includes('turn/end'), records: records() })
  })
  await home.settle(place.id)
  stop()
  expect(atStart).toBe(1)
  const open = seen.filter(({ claimed, closed }) => claimed && !closed)
  expect(open.length).toBeGreaterThan(0)
  expect(open.every(({ records: count }) => count === 1)).toBe(true)
  expect(records()).toBe(0)
})

test('a preset that is edited to give more gives a session that has its budget from it no more: recorded once', async () => {
  const { startAgent } = scriptedAgents(() => () => Promise.resolve({ kind: 'completed' }))
  const presets = [{ ...ACP, budget: 1000 }]
  home = makeAgentHome({ presets, startAgent: { acp: startAgent, shell: startAgent } })
  const fields = { agentPreset: 'acp', notes: envelopeDrafts({ budget: 1000, preset: 'acp' }, 1) }
  const place = await home.session('one', fields)
  // Its budget was given by a person: the preset's is another matter.
  const given = await home.session('one', { agentPreset: 'acp', notes: envelopeDrafts({ budget: 1000 }, 1) })
  await home.settle(place.id)
  expect(logOf(place).map(({ type }) => type)).not.toContain(RAISE_EVENT)
  presets[0] = { ...ACP, budget: 5000 }
  for (const { id } of [place, place, given]) {
    valueOf(await home.tree.queuePrompt(id, 'again'))
    await home.settle(id)
  }
  const raises = logOf(place).filter(({ type }) => type === RAISE_EVENT)
  expect(raises.map(({ data }) => data)).toMatchObject([{ limit: 1000, asked: 5000, reason: 'cap_raise_rejected' }])
  expect(home.reports.map(({ code }) => code)).toEqual(['budget_exceeded'])
  expect(logOf(place).filter(({ type }) => type === 'turn/end')).toHaveLength(3)
  expect(logOf(given).map(({ type }) => type)).not.toContain(RAISE_EVENT)
})
