import { mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createAgentHost, type AgentHostParts } from '../src/main/agents/agent-host.ts'
import type { AgentExit, StartAgent, TurnLog } from '../src/main/agents/agent.ts'
import { createBudgets } from '../src/main/agents/budget.ts'
import { SHELL_PRESET } from '../src/main/agents/presets.ts'
import { createSessionReader } from '../src/main/agents/session-reader.ts'
import type { SessionId } from '../src/shared/session-id.ts'
import { ok } from '../src/shared/result.ts'
import { newSessionId } from '../src/main/session-tree/session-id.ts'
import { openSessionTree } from '../src/main/session-tree/tree-provider.ts'
import { measured, type Measured } from './measure.ts'

const AGENTS = 8
const STEPS = 1000
/** As much as the host of agents writes at once. */
const BATCH_BYTES = 64 * 1024

/** Eight agents, each in a turn of a thousand steps with a message, a call and its result, as fast as they are taken. */
export async function agentsOurs(root: string): Promise<Measured> {
  // A host of agents runs for days: what is measured is not its first second.
  await workIn(join(root, '..', 'first'))
  await rm(root, { recursive: true, force: true })
  return workIn(root)
}

async function workIn(root: string): Promise<Measured> {
  const tree = openSessionTree(root)
  const reader = createSessionReader(tree)
  const host = createAgentHost({
    tree,
    reader,
    budgets: createBudgets(tree, reader, Date.now),
    presets: () => Promise.resolve({ list: { presets: [SHELL_PRESET], problems: [] } }),
    startAgent: { shell: startTalker, acp: startTalker },
    gateway,
    recordsFolder: join(root, '..', 'agents'),
    environment: {},
    atOnce: async () => AGENTS,
    report: (error) => {
      throw new Error(error.message)
    },
  })
  const ids = Array.from({ length: AGENTS }, () => newSessionId())
  for (const id of ids) {
    const made = await tree.create({
      id,
      kind: 'main',
      cwd: '/workspace/benchmark',
      prompt: 'Do a thousand things.',
      agentPreset: SHELL_PRESET.id,
      createdAt: Date.now(),
    })
    if (!made.ok) throw new Error(made.error.message)
  }
  const run = await measured(() => Promise.all(ids.map((id) => settled(host, id))))
  await host.close()
  return run
}

const gateway: AgentHostParts['gateway'] = () => ({
  gateway: { socket: '', token: 'none', bridge: { command: '', args: [], env: {} }, binFolder: '' },
  revoke: () => undefined,
})

/** Wakes a session, and resolves once its turn is closed in the log. */
function settled(host: ReturnType<typeof createAgentHost>, id: SessionId): Promise<void> {
  return new Promise((resolve) => {
    const stop = host.onChange((changed) => {
      if (changed !== id || host.status(id)?.state !== 'idle') return
      stop()
      resolve()
    })
    host.wake(id)
  })
}

const startTalker: StartAgent = () => {
  const ended = Promise.withResolvers<AgentExit>()
  return Promise.resolve(
    ok({
      async prompt(_prompt, log) {
        for (let step = 1; step <= STEPS; step++) {
          reportStep(log, step)
          // What agents say comes over pipes, so others are heard in between.
          if (step % 10 === 0) await new Promise(setImmediate)
        }
        return { kind: 'completed' }
      },
      ended: ended.promise,
      stop: () => Promise.resolve(ended.resolve({ code: 0, signal: null, lastWords: '' })),
    }),
  )
}

function reportStep(log: TurnLog, step: number): void {
  const call = {
    callId: `call-${step}`,
    name: 'bash',
    arguments: JSON.stringify({ command: `npm test -- part-${step}` }),
  }
  log.startStep()
  log.assistantMessage({
    content: [
      { type: 'text', text: `Part ${step} is next. ${'It is looked at as a whole. '.repeat(6)}` },
      { type: 'tool-call', id: call.callId, name: call.name, arguments: call.arguments },
    ],
    usage: { inputTokens: 1200 + step, outputTokens: 90 },
  })
  log.toolCall(call)
  log.toolResult({ callId: call.callId, text: 'ok 12 tests passed\n'.repeat(20), isError: false })
  log.endStep()
}

/** The least that keeps the same lines: they are there already, and are appended and fsynced in pieces of the same size. */
export function agentsBatches(root: string): Promise<Measured> {
  return append(root, (bytes) => pieces(bytes))
}

/** As a plain program keeps events that must not be lost: each is appended and fsynced when it comes. */
export function agentsPlain(root: string): Promise<Measured> {
  return append(root, (bytes) => lines(bytes))
}

async function append(root: string, cut: (bytes: Buffer) => Iterable<Buffer>): Promise<Measured> {
  const names = await readdir(root)
  const logs = await Promise.all(names.map((name) => readFile(join(root, name, 'session.jsonl'))))
  const copies = await mkdtemp(join(root, '..', 'plain-'))
  return measured(() => Promise.all(logs.map((bytes, index) => appendAll(join(copies, String(index)), cut(bytes)))))
}

function* pieces(bytes: Buffer): Iterable<Buffer> {
  for (let at = 0; at < bytes.length; at += BATCH_BYTES) yield bytes.subarray(at, at + BATCH_BYTES)
}

function* lines(bytes: Buffer): Iterable<Buffer> {
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf('\n', at) + 1
    yield bytes.subarray(at, end)
    at = end
  }
}

async function appendAll(path: string, parts: Iterable<Buffer>): Promise<void> {
  const file = await open(path, 'a')
  for (const part of parts) {
    await file.write(part)
    await file.sync()
  }
  await file.close()
}
