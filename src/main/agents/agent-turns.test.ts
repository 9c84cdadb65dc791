import { afterEach, expect, test } from 'vitest'
import { startDshBackend } from '../session-tree/testing/dsh-oracle.ts'
import { forkOf, turnDrafts, valueOf } from '../session-tree/testing/tree-home.ts'
import type { TurnLog } from './agent.ts'
import type { KnownPreset } from './presets.ts'
import { logOf, makeAgentHome, type AgentHome } from './testing/agent-home.ts'
import { scriptedAgents } from './testing/scripted-agent.ts'

const ACP: KnownPreset = { id: 'acp', label: 'Agent', kind: 'acp', command: 'x', source: 'file' }

let home: AgentHome
afterEach(() => home.remove())

const answer = (log: TurnLog, text: string) => log.assistantMessage({ content: [{ type: 'text', text }] })

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5))
}

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
