import { methods, PROTOCOL_VERSION, type ClientContext, type McpServer } from '@agentclientprotocol/sdk/unstable'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import type { AgentStart } from './agent.ts'
import { fieldsOf, wordOf, type Fields } from './fields.ts'
import { requestFailure } from './acp-failure.ts'

/** A session of the agent's, ready for its first prompt. */
export interface OpenedSession {
  readonly sessionId: string
  /** How it came to be; `new` knows nothing of what was said before. */
  readonly how: 'new' | 'loaded' | 'resumed' | 'forked'
  /** Why the agent did not take up the session it had, or its parent's, though there was one. */
  readonly notResumed?: string
  /** What the agent answered: `configOptions`, `modes`, `models`. */
  readonly answer: Fields
}

/** What an agent can do and how one logs in to it, as it says itself. */
export interface AgentAbilities {
  readonly loads: boolean
  readonly resumes: boolean
  readonly forks: boolean
  /** The agent's name and version, where it gives them. */
  readonly name: string | undefined
  readonly logins: readonly string[]
}

/** Greets the agent. Fails with `agent_failed`: it answered with an error, or speaks another version. */
export async function greet(agent: ClientContext): Promise<Result<AgentAbilities>> {
  try {
    const answer = fieldsOf(
      await agent.request(methods.agent.initialize, {
        protocolVersion: PROTOCOL_VERSION,
        clientInfo: { name: 'treeline', title: 'Treeline', version: '0.1.0' },
        // Agents read, write and run by themselves, in the session's folder.
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      }),
    )
    const version = answer['protocolVersion']
    if (version !== PROTOCOL_VERSION) {
      const message = `The agent speaks version ${String(version)} of the Agent Client Protocol; Treeline speaks version ${PROTOCOL_VERSION}.`
      return fail(toolError('agent_failed', message))
    }
    return ok(abilitiesOf(answer))
  } catch (error) {
    return fail(requestFailure('did not answer the greeting', error))
  }
}

function abilitiesOf(answer: Fields): AgentAbilities {
  const capabilities = fieldsOf(answer['agentCapabilities'])
  const session = fieldsOf(capabilities['sessionCapabilities'])
  const info = fieldsOf(answer['agentInfo'])
  const logins = Array.isArray(answer['authMethods']) ? answer['authMethods'] : []
  return {
    loads: capabilities['loadSession'] === true,
    resumes: session['resume'] != null,
    forks: session['fork'] != null,
    name: wordOf(info['title']) ?? wordOf(info['name']),
    logins: logins.flatMap((login) => wordOf(fieldsOf(login)['name']) ?? []),
  }
}

/**
 * Opens the session: the agent's own, where it had one; its fork of the parent's; else a new one. The agent gets our MCP
 * server either way. What it cannot take up is no failure: then the session is new, and says why.
 * Fails with `agent_failed`.
 */
export async function openSession(
  agent: ClientContext,
  abilities: AgentAbilities,
  start: Pick<AgentStart, 'cwd' | 'gateway' | 'agentSession' | 'history'>,
): Promise<Result<OpenedSession>> {
  const { cwd, agentSession, history } = start
  const mcpServers = [toolServer(start.gateway.bridge)]
  const parent = history?.parentAgentSession
  let notResumed: string | undefined
  try {
    if (agentSession !== undefined) {
      const request = { sessionId: agentSession, cwd, mcpServers }
      if (abilities.loads) {
        const answer = await agent.request(methods.agent.session.load, request)
        return ok({ sessionId: agentSession, how: 'loaded', answer: fieldsOf(answer) })
      }
      if (abilities.resumes) {
        const answer = await agent.request(methods.agent.session.resume, request)
        return ok({ sessionId: agentSession, how: 'resumed', answer: fieldsOf(answer) })
      }
      notResumed = 'The agent cannot take up a session again.'
    } else if (parent !== undefined) {
      if (abilities.forks) {
        const answer = fieldsOf(await agent.request(methods.agent.session.fork, { sessionId: parent, cwd, mcpServers }))
        const forked = wordOf(answer['sessionId'])
        if (forked !== undefined && forked !== parent) return ok({ sessionId: forked, how: 'forked', answer })
        notResumed = 'The agent gave no session for the fork.'
      } else notResumed = 'The agent cannot fork a session.'
    }
  } catch (error) {
    notResumed = requestFailure('did not take up the session', error).message
  }
  try {
    const answer = fieldsOf(await agent.request(methods.agent.session.new, { cwd, mcpServers }))
    const sessionId = wordOf(answer['sessionId'])
    if (sessionId === undefined) return fail(toolError('agent_failed', 'The agent gave its session no id.'))
    return ok({ sessionId, how: 'new', answer, ...(notResumed !== undefined && { notResumed }) })
  } catch (error) {
    return fail(requestFailure('did not open a session', error, abilities.logins))
  }
}

/** Our MCP server as the agent starts it. Its token is in its environment, never in an argument. */
function toolServer({ command, args, env }: AgentStart['gateway']['bridge']): McpServer {
  const variables = Object.entries(env).map(([name, value]) => ({ name, value }))
  return { name: 'treeline', command, args: [...args], env: variables }
}
