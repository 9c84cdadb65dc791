import { assertNever, fail, type Result } from '../shared/result.ts'
import { toolError } from '../shared/tool-error.ts'
import type { CallOptions } from '../main/gateway/tool-client.ts'
import type { Command } from './arguments.ts'
import { interruption } from './interruption.ts'

/**
 * Runs a command as the session that `TREELINE_TOKEN` stands for (design §4), in the process that owns its home. Who calls
 * and which home is meant is settled by the token, so `--as` and `--home` are refused with `not_allowed`.
 */
export async function runAsSession(
  command: Exclude<Command, { name: 'help' | 'mcp' }>,
  token: string,
  address: string | undefined,
  options: CallOptions,
): Promise<Result<unknown>> {
  for (const field of ['as', 'home'] as const) {
    if (!(field in command)) continue
    const message = `--${field} cannot be given here: TREELINE_TOKEN is set, and says who calls and in which home.`
    return fail(toolError('not_allowed', message, { field }))
  }
  if (command.name === 'check' || command.name === 'serve' || command.name === 'session tree') {
    return fail(toolError('not_allowed', `${command.name} is for the person at this computer, not for sessions.`))
  }
  if (!address) {
    const message = 'TREELINE_TOKEN is set, but TREELINE_SOCKET is not, so there is nobody to call. Treeline sets both.'
    return fail(toolError('owner_unreachable', message))
  }
  const { connectToTools } = await import('../main/gateway/tool-client.ts')
  const connection = await connectToTools(address, token)
  if (!connection.ok) return connection
  const { method, params } = callOf(command)
  const answer = await connection.value.call(method, params, { ...options, signal: interruption() })
  connection.value.close()
  return answer
}

type Calling = Exclude<Command, { name: 'help' | 'mcp' | 'check' | 'serve' | 'session tree' }>

function callOf(command: Calling): { method: string; params: object } {
  switch (command.name) {
    case 'session create':
      return { method: 'session_create', params: { request: command.request } }
    case 'session status':
      return { method: 'session_status', params: { request: statusRequest(command) } }
    case 'session send':
      return { method: 'session_send', params: { request: sendRequest(command) } }
    case 'session list':
      return { method: 'session_list', params: {} }
    case 'import dsh':
      return { method: 'import_dsh', params: {} }
    default:
      return assertNever(command)
  }
}

/** The request of `session_status`, from the command line. */
export function statusRequest({ session }: Extract<Command, { name: 'session status' }>): object {
  return session === undefined ? {} : { session_id: session }
}

/** The request of `session_send`, from the command line. */
export function sendRequest({ session, message }: Extract<Command, { name: 'session send' }>): object {
  return { session_id: session, message }
}
