import type { SessionId } from '../../shared/session-id.ts'
import type { AgentGateway } from '../agents/agent.ts'
import type { CallerTokens } from './caller-tokens.ts'
import type { CommandLine } from './launcher.ts'

/**
 * What one live agent gets to reach the tools as its session and as nobody else: a token of its own, dead once it is
 * revoked. The token is in environments only, never in an argument (design §4).
 */
export function grantGateway(
  session: SessionId,
  parts: {
    readonly tokens: CallerTokens
    readonly socket: string
    readonly commandLine: CommandLine
    /** Holds the `treeline` command. */
    readonly binFolder: string
  },
): { readonly gateway: AgentGateway; revoke(): void } {
  const { tokens, socket, commandLine, binFolder } = parts
  const token = tokens.issue({ kind: 'session', id: session })
  const { command, args, env } = commandLine
  // Some agents start their MCP servers in an empty environment, so what the bridge needs is all here.
  const bridgeEnv = { ...env, TREELINE_SOCKET: socket, TREELINE_TOKEN: token }
  return {
    gateway: { socket, token, bridge: { command, args: [...args, 'mcp'], env: bridgeEnv }, binFolder },
    revoke: () => tokens.revoke(token),
  }
}
