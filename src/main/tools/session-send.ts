import { fail, ok, type Result } from '../../shared/result.ts'
import { parseSessionId, type SessionId } from '../../shared/session-id.ts'
import { toolError } from '../../shared/tool-error.ts'
import { sessionSendRequest, type SessionSendResult } from '../../shared/tools.ts'
import type { SessionTree } from '../session-tree/session-tree.ts'
import { actingSession } from './acting-session.ts'
import { maySend, type Caller } from './caller.ts'
import { parseRequest } from './parse-request.ts'

/** What a message is sent with. */
interface SendParts {
  readonly tree: SessionTree
  /** Told once a message waits in a session's inbox. */
  readonly onWork: (id: SessionId) => void
}

/**
 * The tool `session_send` (spec §3.5): puts a message into the durable inbox of a direct child, fsynced before it is
 * accepted, and waits for nobody. Only the target's log changes (field fault F03); a refusal changes no file.
 * Fails with `invalid_request`, `invalid_session_id`, `unknown_session`, `not_direct_child`, `outside_tree`, `cancelled`, or
 * with what is wrong with the target's log.
 */
export async function sendToSession(
  { tree, onWork }: SendParts,
  request: unknown,
  caller: Caller,
  signal?: AbortSignal,
): Promise<Result<SessionSendResult>> {
  const parsed = parseRequest(sessionSendRequest, 'session_send', request)
  if (!parsed.ok) return parsed
  const id = parseSessionId(parsed.value.session_id)
  if (!id.ok) return id
  const sender = await actingSession(tree, caller)
  if (!sender.ok) return sender
  const target = await tree.locate(id.value)
  if (!target.ok) return target
  const allowed = maySend(sender.value, target.value)
  if (!allowed.ok) return allowed
  const { problem } = await tree.facts(target.value)
  if (problem) return fail({ ...problem, message: `Nothing can be sent to ${id.value}. ${problem.message}` })
  if (signal?.aborted) return fail(toolError('cancelled', `The message to ${id.value} was cancelled and not sent.`))
  const queued = await tree.queuePrompt(id.value, parsed.value.message)
  if (!queued.ok) return queued
  onWork(id.value)
  return ok({ session_id: id.value, accepted: true, status: 'queued' })
}
