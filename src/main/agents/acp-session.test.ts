import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SessionPlace } from '../session-tree/session-tree.ts'
import { startDshBackend, type DshBackend } from '../session-tree/testing/dsh-oracle.ts'
import { eventsIn, forkOf, valueOf } from '../session-tree/testing/tree-home.ts'
import { startAcpAgent } from './acp-agent.ts'
import { dataOf, makeAcpHome, messagesOf, SCRIPTED_AGENT, type AcpHome } from './testing/acp-home.ts'

let home: AcpHome
let dsh: DshBackend

beforeEach(async () => {
  dsh = await startDshBackend()
})
afterEach(async () => {
  await dsh.stop()
  await home.remove()
})

function open(options: readonly string[] = []): void {
  home = makeAcpHome(options)
}

async function expectDshLoads(place: SessionPlace): Promise<void> {
  const reading = await dsh.load(place.logPath)
  expect(reading.repaired).toBe(false)
  expect(reading.events.map(({ type }) => type)).toEqual(eventsIn(place.logPath).map(({ type }) => type))
}

test('the agent gets the tools as an MCP server and by name, with its own token', async () => {
  const gateway = { command: '/usr/bin/bridge', args: ['mcp'], env: { TREELINE_TOKEN: 'secret-of-this-agent' } }
  open()
  const preset = {
    id: 'acp',
    label: 'Scripted',
    kind: 'acp' as const,
    command: process.execPath,
    args: [SCRIPTED_AGENT],
  }
  const started = await startAcpAgent({
    sessionId: (await home.acpSession('unused')).id,
    cwd: home.cwd,
    preset,
    environment: process.env,
    gateway: { socket: '/s', token: 'secret-of-this-agent', bridge: gateway, binFolder: '/bin-folder' },
    onProcess: () => undefined,
    ask: () => Promise.resolve(undefined),
    onAgentSession: () => undefined,
  })
  await valueOf(started).stop()
  const [request] = home.received('session/new')
  expect(request?.['cwd']).toBe(home.cwd)
  expect(request?.['mcpServers']).toEqual([
    {
      name: 'treeline',
      command: '/usr/bin/bridge',
      args: ['mcp'],
      env: [{ name: 'TREELINE_TOKEN', value: 'secret-of-this-agent' }],
    },
  ])
})

test('a session is loaded again where the agent can, and what it repeats is not written twice', async () => {
  open()
  const place = await home.play('first')
  await home.host.stop(place.id)
  await home.say(place, 'second')
  expect(home.received('session/load')).toHaveLength(1)
  expect(home.received('session/new')).toHaveLength(1)
  expect(dataOf(place, 'session-tree/history')).toMatchObject([{ how: 'loaded' }])
  expect(messagesOf(place)).toEqual([[{ type: 'text', text: 'echo: first' }], [{ type: 'text', text: 'echo: second' }]])
  expect(home.received('session/prompt').at(-1)?.['prompt']).toHaveLength(1)
  expect(dataOf(place, 'session-tree/acp-update')).toEqual([])
})

test('a session is resumed where the agent can do that and no more', async () => {
  open(['no-load', 'resume'])
  const place = await home.play('first')
  await home.host.stop(place.id)
  await home.say(place, 'second')
  expect(home.received('session/resume')).toMatchObject([{ cwd: home.cwd, mcpServers: [{ name: 'treeline' }] }])
  expect(dataOf(place, 'session-tree/history')).toMatchObject([{ how: 'resumed' }])
  expect(home.received('session/prompt').at(-1)?.['prompt']).toHaveLength(1)
})

test('a session that the agent has lost is begun anew with the last turns as text, and its new id is kept', async () => {
  open()
  const place = await home.play('first')
  await home.host.stop(place.id)
  await rm(join(home.cwd, 'received.jsonl'))
  await home.say(place, 'second')
  const [note] = dataOf(place, 'session-tree/history')
  expect(note).toMatchObject({ how: 'text' })
  expect(note?.['reason']).toMatch(/^The agent did not take up the session: ./)
  expect(home.received('session/prompt').at(-1)?.['prompt']).toMatchObject([
    { text: expect.stringContaining('Assistant: echo: first') },
    { text: 'second' },
  ])
  const ids = dataOf(place, 'session-tree/agent').map(({ agentSession }) => agentSession)
  expect(new Set(ids).size).toBe(2)
  await home.host.stop(place.id)
  await home.say(place, 'third')
  expect(home.received('session/load').at(-1)).toMatchObject({ sessionId: ids[1] })
  await expectDshLoads(place)
})

test('one that cannot is told the last turns as text, at most 100 KB, and where the log is', async () => {
  open(['no-load'])
  const place = await home.play(`first ${'ä'.repeat(40_000)}`)
  await home.host.stop(place.id)
  await home.say(place, 'second')
  await home.say(place, 'third')
  const prompts = home.received('session/prompt').map(({ prompt }) => Object(prompt))
  expect(prompts.map((prompt) => prompt.length)).toEqual([1, 2, 1])
  const [{ text }] = prompts[1]
  expect(text).toContain(place.logPath)
  expect(text).toContain('Assistant: echo: first')
  const [note] = dataOf(place, 'session-tree/history')
  expect(note).toMatchObject({
    how: 'text',
    logPath: place.logPath,
    reason: 'The agent cannot take up a session again.',
  })
  expect(note?.['bytes']).toBeLessThanOrEqual(100 * 1024)
  await expectDshLoads(place)
})

test('a fork is the agent’s own fork where it has one, else it is told the turns as text', async () => {
  open(['fork'])
  const place = await home.play('first')
  const fork = await forkOf(home.tree, place.id, { prompt: 'in the fork', agentPreset: 'acp', cwd: home.cwd })
  await home.settle(fork.id)
  const own = dataOf(place, 'session-tree/agent').at(-1)?.['agentSession']
  expect(home.received('session/fork')).toMatchObject([{ sessionId: own, cwd: home.cwd }])
  expect(dataOf(fork, 'session-tree/history').at(-1)).toMatchObject({ how: 'forked' })
  expect(dataOf(fork, 'session-tree/agent').at(-1)?.['agentSession']).toMatch(/^fork-/)
  expect(dataOf(fork, 'session-tree/acp-update')).toEqual([])
  await expectDshLoads(fork)
  await home.remove()

  open()
  const parent = await home.play('first')
  const told = await forkOf(home.tree, parent.id, { prompt: 'in the fork', agentPreset: 'acp', cwd: home.cwd })
  await home.settle(told.id)
  expect(home.received('session/prompt').at(-1)?.['prompt']).toMatchObject([
    { text: expect.stringContaining('Assistant: echo: first') },
    {},
  ])
  expect(dataOf(told, 'session-tree/history').at(-1)).toMatchObject({
    how: 'text',
    reason: 'The agent cannot fork a session.',
  })
})

test('a fork that the agent refuses is told the turns as text, and the log says what it answered', async () => {
  open(['fork', 'forks-fail'])
  const parent = await home.play('first')
  const fork = await forkOf(home.tree, parent.id, { prompt: 'in the fork', agentPreset: 'acp', cwd: home.cwd })
  await home.settle(fork.id)
  expect(dataOf(fork, 'session-tree/history').at(-1)).toMatchObject({
    how: 'text',
    logPath: fork.logPath,
    reason: expect.stringMatching(/^The agent did not take up the session: .*the conversation is too old/),
  })
  expect(home.received('session/prompt').at(-1)?.['prompt']).toMatchObject([
    { text: expect.stringContaining('Assistant: echo: first') },
    { text: 'in the fork' },
  ])
})
