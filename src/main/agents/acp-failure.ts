import { MessageTooLargeError, RequestError } from '@agentclientprotocol/sdk/unstable'
import { toolError, type ToolError } from '../../shared/tool-error.ts'
import { shortened } from './acp-content.ts'
import { wordOf } from './fields.ts'

const AUTH_REQUIRED = -32000
const REASON_LETTERS = 2000

/**
 * An agent's refusal in words.
 * @param what what it did not do: "did not open a session".
 * @param logins the ways to log in that it offers.
 */
export function requestFailure(what: string, error: unknown, logins: readonly string[] = []): ToolError {
  if (error instanceof RequestError && error.code === AUTH_REQUIRED) {
    const ways = logins.length === 0 ? '' : ` (${logins.join(', ')})`
    const message = `The agent ${what}: it wants you to log in first${ways}. Start it in a terminal, log in, and send the message again.`
    return toolError('agent_failed', message)
  }
  return toolError('agent_failed', `The agent ${what}: ${reasonOf(error)}`)
}

function reasonOf(error: unknown): string {
  if (error instanceof MessageTooLargeError) {
    return `it sent a message of more than ${(error.maxMessageBytes / 1024 / 1024).toFixed(0)} MB.`
  }
  if (!(error instanceof RequestError)) return error instanceof Error ? error.message : String(error)
  const { data } = error
  const details = wordOf(data) ?? (data == null ? undefined : JSON.stringify(data))
  return shortened(details === undefined ? error.message : `${error.message} ${details}`, REASON_LETTERS)
}
