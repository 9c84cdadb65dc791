import { join } from 'node:path'
import { ok, type Result } from '../../shared/result.ts'
import type { SessionId } from '../../shared/session-id.ts'
import type { ToolError } from '../../shared/tool-error.ts'
import type { AgentHost } from '../agents/agent.ts'
import { createAgentHost } from '../agents/agent-host.ts'
import type { Budgets } from '../agents/budget.ts'
import type { SessionReader } from '../agents/session-reader.ts'
import { startShellAgent } from '../agents/shell-agent.ts'
import type { HomePaths } from '../session-tree/home-paths.ts'
import type { SessionTree } from '../session-tree/session-tree.ts'
import { grantGateway } from './agent-gateway.ts'
import type { CallerTokens } from './caller-tokens.ts'
import { ownCommandLine, writeLauncher } from './launcher.ts'
import type { KnownPresets } from './session-terms.ts'
import { wakeWaiting } from './wake-waiting.ts'

/** The live agents of a home, and what waits for them. */
interface HomeAgents {
  readonly agents: AgentHost
  /** Begins with what waits already; to be called once agents can reach the tools. */
  begin(): void
  /** Ends all agents whole. */
  close(): Promise<void>
}

/**
 * Builds the host of live agents over a home this process owns. Each agent reaches the tools at `address` with a token of
 * its own, which is dead when the agent is. Fails with `io_failed`.
 * @param parts.report told of what went wrong outside any call.
 */
export async function startHomeAgents(parts: {
  readonly paths: HomePaths
  readonly tree: SessionTree
  readonly reader: SessionReader
  readonly budgets: Budgets
  readonly presets: () => Promise<KnownPresets>
  /** How many agents work at the same time. */
  readonly atOnce: () => Promise<number>
  readonly tokens: CallerTokens
  readonly address: string
  readonly report: (error: ToolError, session: SessionId) => void
  readonly onBug: (error: unknown) => void
}): Promise<Result<HomeAgents>> {
  const { paths, tree, reader, budgets, presets, atOnce, tokens, address, report, onBug } = parts
  const binFolder = join(paths.own, 'bin')
  const commandLine = ownCommandLine()
  const written = await writeLauncher(binFolder, commandLine)
  if (!written.ok) return written
  const agents = createAgentHost({
    tree,
    reader,
    budgets,
    presets,
    atOnce,
    startAgent: {
      shell: startShellAgent,
      // The protocol's code is large, and the shell needs none of it.
      acp: async (start) => (await import('../agents/acp-agent.ts')).startAcpAgent(start),
    },
    gateway: (id) => grantGateway(id, { tokens, socket: address, commandLine, binFolder }),
    recordsFolder: paths.agents,
    environment: process.env,
    report,
  })
  const closing = new AbortController()
  let waking: Promise<void> | undefined
  return ok({
    agents,
    begin() {
      waking ??= wakeWaiting(tree, reader, agents, closing.signal)
      // Reported here, waited for at the end.
      waking.catch(onBug)
    },
    async close() {
      closing.abort()
      await waking?.catch(() => undefined)
      await agents.close()
    },
  })
}
