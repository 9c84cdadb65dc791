import { afterEach, expect, test } from 'vitest'
import { fail } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import type { SessionPlace } from '../session-tree/session-tree.ts'
import { startDshBackend } from '../session-tree/testing/dsh-oracle.ts'
import { errorOf, forkOf, turnDrafts, valueOf } from '../session-tree/testing/tree-home.ts'
import type { StartAgent, TurnLog } from './agent.ts'
import { deferred } from './deferred.ts'
import type { KnownPreset } from './presets.ts'
import { waitingMessages } from './claim.ts'
import { logOf, makeAgentHome, untilLogged, type AgentHome } from './testing/agent-home.ts'
import { aborted, scriptedAgents } from './testing/scripted-agent.ts'

const ACP: KnownPreset = { id: 'acp', label: 'Agent', kind: 'acp', command: 'x', source: 'file' }

let home: AgentHome
afterEach(() => home.remove())

const answer = (log: TurnLog, text: string) => log.assistantMessage({ content: [{ type: 'text', text }] })

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
  home = makeAgentHome({ presets: [ACP], limit: 2, startAgent: { acp: startAgent, shell: startAgent } })
  const places: SessionPlace[] = []
  for (let index = 0; index < 5; index++) places.push(await home.session(String(index), { agentPreset: 'acp' }))
  for (const { id } of places) home.host.wake(id)
  await until(() => order.length === 2)
  const states = places.map(({ id }) => home.host.status(id)?.state)
  expect(states).toEqual(['running', 'running', 'queued', 'queued', 'queued'])
  for (const [index, gate] of gates.entries()) {
    gate.resolve()
    await until(() => order.length === Math.min(5, index + 3))
  }
  await until(() => places.every(({ id }) => home.host.status(id)?.state === 'idle'))
  expect(order).toEqual(['0', '1', '2', '3', '4'])
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

test('questions wait for a person, and the session says so; a preset may answer by itself; Stop takes them back', async () => {
  const options = [
    { id: 'yes', label: 'Yes', kind: 'allow' as const },
    { id: 'no', label: 'No', kind: 'reject' as const },
  ]
  const answers: (string | undefined)[] = []
  const { startAgent } = scriptedAgents(({ start }) => async (_prompt, _log, signal) => {
    answers.push(await start.ask({ title: 'edit', detail: 'a.txt', options }, signal))
    return { kind: signal.aborted ? 'aborted' : 'completed' }
  })
  const presets = [ACP, { ...ACP, id: 'bold', permission: 'allow_once' as const }]
  home = makeAgentHome({ presets, startAgent: { acp: startAgent, shell: startAgent } })
  const place = await home.session('x', { agentPreset: 'acp' })
  home.host.wake(place.id)
  await until(() => home.host.status(place.id)?.requests.length === 1)
  const [request] = home.host.status(place.id)?.requests ?? []
  expect(request).toMatchObject({ title: 'edit', detail: 'a.txt', options, sessionId: place.id })
  expect(home.host.answer(place.id, request?.id ?? '', 'maybe')).toBe(false)
  expect(home.host.answer(place.id, request?.id ?? '', 'no')).toBe(true)
  expect(home.host.answer(place.id, request?.id ?? '', 'no')).toBe(false)
  await home.settle(place.id)
  const asked = logOf(place).filter(({ type }) => type.startsWith('approval/'))
  expect(asked).toEqual([
    { type: 'approval/asked', data: { id: request?.id, toolName: 'edit', reason: 'a.txt' } },
    { type: 'approval/decided', data: { id: request?.id, outcome: 'denied' } },
  ])

  const bold = await home.session('x', { agentPreset: 'bold' })
  await home.settle(bold.id)
  valueOf(await home.tree.queuePrompt(place.id, 'again'))
  home.host.wake(place.id)
  await until(() => home.host.status(place.id)?.requests.length === 1)
  await home.host.interrupt(place.id)
  expect(answers).toEqual(['no', 'yes', undefined])
  const dsh = await startDshBackend()
  for (const each of [place, bold]) expect((await dsh.load(each.logPath)).repaired).toBe(false)
  await dsh.stop()
})

test('whatever an agent reports, in whatever order, DSH loads the log', async () => {
  const { startAgent } = scriptedAgents(({ start }) => async (_prompt, log) => {
    start.onAgentSession('theirs-1')
    log.toolResult({ callId: 'never-called', text: 'x', isError: false })
    log.chunk({ type: 'text-delta', index: 0, text: 'Hel' })
    log.chunk({ type: 'text-delta', index: 0, text: 'lo' })
    answer(log, 'Hello')
    log.toolCall({ callId: 'a', name: 'read', arguments: '{}' })
    log.toolCall({ callId: 'b', name: 'read', arguments: '{}' })
    log.toolResult({ callId: 'b', text: 'b', isError: false })
    log.startStep()
    log.toolResult({ callId: 'a', text: 'late', isError: false })
    log.endStep()
    log.endStep()
    answer(log, 'again')
    log.todos([{ content: 'Plant', status: 'pending' }])
    log.note('session-tree/odd', 'text')
    log.assistantMessage({ content: [{ type: 'tool-call', id: 'c', name: 'read', arguments: '{}' }] })
    return { kind: 'max-steps' }
  })
  home = makeAgentHome({ presets: [ACP], startAgent: { acp: startAgent, shell: startAgent } })
  const place = await home.session('x', { agentPreset: 'acp' })
  await home.settle(place.id)
  const chunks = logOf(place).filter(({ type }) => type === 'assistant/chunk')
  expect(chunks).toMatchObject([{ data: { turn: 1, step: 1, chunk: { type: 'text-delta', text: 'Hello' } } }])
  expect(logOf(place).filter(({ type }) => type === 'step/start')).toHaveLength(2)
  const dsh = await startDshBackend()
  expect((await dsh.load(place.logPath)).repaired).toBe(false)
  await dsh.stop()
  expect(valueOf(await home.reader.read(place.id)).state.agentSession).toBe('theirs-1')
})

test('a fork’s agent gets what was said before, its parent’s agent session and its turn’s number', async () => {
  const { startAgent, started } = scriptedAgents(({ start }) => (_prompt, log) => {
    start.onAgentSession(`of-${start.sessionId}`)
    answer(log, 'Twelve apples.')
    return Promise.resolve({ kind: 'completed' })
  })
  home = makeAgentHome({ presets: [ACP], startAgent: { acp: startAgent, shell: startAgent } })
  const main = await home.session('Count the apples.', { agentPreset: 'acp' })
  await home.settle(main.id)
  const fork = await forkOf(home.tree, main.id, { cwd: home.cwd, agentPreset: 'acp', prompt: 'And the pears?' })
  await home.settle(fork.id)
  expect(started[0]?.start.history).toBeUndefined()
  expect(started[1]?.start).not.toHaveProperty('agentSession')
  expect(started[1]?.start.history).toEqual({
    text: 'User: Count the apples.\n\nAssistant: Twelve apples.',
    logPath: fork.logPath,
    parentAgentSession: `of-${main.id}`,
  })
  expect(logOf(fork).findLast(({ type }) => type === 'turn/start')?.data).toEqual({ turn: 2 })
})

test('a message to a session that another program left in the middle of a turn closes that turn first', async () => {
  home = makeAgentHome()
  const place = await home.session('echo apples')
  valueOf(await home.tree.appendNext(place.id, turnDrafts(1, 'echo apples').slice(0, 5)))
  valueOf(await home.tree.queuePrompt(place.id, 'echo pears'))
  await home.settle(place.id)
  expect(
    logOf(place)
      .filter(({ type }) => type === 'turn/end')
      .map(({ data }) => data),
  ).toEqual([
    { turn: 1, reason: { kind: 'interrupted' } },
    { turn: 2, reason: { kind: 'completed' } },
  ])
  const dsh = await startDshBackend()
  expect((await dsh.load(place.logPath)).repaired).toBe(false)
  await dsh.stop()
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
  home = makeAgentHome({ presets: [ACP], limit: 1, startAgent: { acp: startAgent, shell: startAgent } })
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
