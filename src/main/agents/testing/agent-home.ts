import { randomBytes } from 'node:crypto'
import { mkdtempSync, mkdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ToolError } from '../../../shared/tool-error.ts'
import type { SessionId } from '../../../shared/session-id.ts'
import { homePaths, type HomePaths } from '../../session-tree/home-paths.ts'
import type { NewSession, SessionPlace, SessionTree } from '../../session-tree/session-tree.ts'
import { createIn, eventsIn } from '../../session-tree/testing/tree-home.ts'
import { openSessionTree } from '../../session-tree/tree-provider.ts'
import type { AgentHost, StartAgent } from '../agent.ts'
import { createAgentHost, type AgentHostParts } from '../agent-host.ts'
import { createBudgets, type Budgets } from '../budget.ts'
import { SHELL_PRESET, type KnownPreset } from '../presets.ts'
import { createSessionReader, type SessionReader } from '../session-reader.ts'
import { startShellAgent } from '../shell-agent.ts'

/** A home with a host of live agents over it. */
export interface AgentHome {
  readonly paths: HomePaths
  readonly cwd: string
  readonly tree: SessionTree
  readonly reader: SessionReader
  readonly budgets: Budgets
  readonly host: AgentHost
  readonly reports: ToolError[]
  /** The token each agent was given, in order. */
  readonly tokens: string[]
  readonly revoked: string[]
  /** A session whose prompt waits. */
  session(prompt: string, more?: Partial<NewSession>): Promise<SessionPlace>
  /** Wakes a session, and resolves once its agent has nothing to do. */
  settle(id: SessionId): Promise<void>
  remove(): Promise<void>
}

const neverStarted: StartAgent = () => Promise.reject(new Error('An ACP agent was started.'))

/** @param folder an existing folder, for a home that another process left; absent: a new one. */
export function makeAgentHome(
  more: Partial<Omit<AgentHostParts, 'presets'>> & { folder?: string; presets?: KnownPreset[] } = {},
): AgentHome {
  const { folder = realpathSync(mkdtempSync(join(tmpdir(), 'treeline-agents-'))), presets = [], ...parts } = more
  const paths = homePaths(join(folder, 'home'))
  const cwd = join(folder, 'project')
  mkdirSync(cwd, { recursive: true })
  const tree = openSessionTree(paths.tree)
  const reader = createSessionReader(tree)
  const budgets = createBudgets(tree, reader, Date.now)
  const reports: ToolError[] = []
  const tokens: string[] = []
  const revoked: string[] = []
  const host = createAgentHost({
    tree,
    reader,
    budgets,
    presets: () => Promise.resolve({ list: { presets: [SHELL_PRESET, ...presets], problems: [] } }),
    startAgent: { shell: startShellAgent, acp: neverStarted },
    gateway: () => {
      const token = randomBytes(32).toString('hex')
      tokens.push(token)
      const bridge = { command: process.execPath, args: [], env: {} }
      const gateway = { socket: join(folder, 'tools.sock'), token, bridge, binFolder: join(folder, 'bin') }
      return { gateway, revoke: () => revoked.push(token) }
    },
    recordsFolder: paths.agents,
    atOnce: () => Promise.resolve(4),
    environment: { ...process.env, SHELL: '/bin/sh', TREELINE_TOKEN: 'of-somebody-else' },
    report: (error) => reports.push(error),
    ...parts,
  })
  return {
    paths,
    cwd,
    tree,
    reader,
    budgets,
    host,
    reports,
    tokens,
    revoked,
    session: (prompt, fields = {}) => createIn(tree, { cwd, prompt, agentPreset: 'shell', ...fields }),
    settle: (id) =>
      new Promise((resolve) => {
        const look = () => {
          const state = host.status(id)?.state
          if (state === 'running' || state === 'queued') return
          stop()
          resolve()
        }
        const stop = host.onChange((changed) => changed === id && look())
        host.wake(id)
      }),
    async remove() {
      await host.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The own events of a log: type, and the data. */
export function logOf(place: SessionPlace): { readonly type: string; readonly data: Record<string, unknown> }[] {
  return eventsIn(place.logPath).map(({ type, data }) => ({ type, data: { ...Object(data) } }))
}

/** The text of the last tool result in a log. */
export function lastResult(place: SessionPlace): { text: string; isError: boolean; meta: Record<string, unknown> } {
  const data = logOf(place).findLast(({ type }) => type === 'tool/result')?.data
  const found: unknown = JSON.parse(JSON.stringify(data ?? null), (key, value: unknown) =>
    key === 'message' ? Object(value).content[0] : value,
  )
  const { message, meta } = Object(found)
  return { text: message.content[0].text, isError: message.isError, meta }
}

/** Resolves once a log holds an event that is looked for. */
export async function untilLogged(
  place: SessionPlace,
  isIt: (event: { readonly type: string; readonly data: Record<string, unknown> }) => boolean,
): Promise<void> {
  while (!logOf(place).some(isIt)) await new Promise((resolve) => setTimeout(resolve, 20))
}
