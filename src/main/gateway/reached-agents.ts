import { fail, ok, type Result } from '../../shared/result.ts'
import type { SessionId } from '../../shared/session-id.ts'
import { toolError } from '../../shared/tool-error.ts'
import type { AgentControl } from './home.ts'
import type { ToolConnection } from './tool-client.ts'
import { parseLiveChange, type LiveChange } from './tool-protocol.ts'

/**
 * The live agents of another process, as it tells of them: a copy that follows each change, and is empty at once when the
 * connection ends, for then nothing is known of them (design §2.5).
 * @param call calls the owner, and puts its end into words.
 * @returns undefined where the owner runs no agents; fails with `owner_unreachable`.
 */
export async function reachAgents(
  connection: Pick<ToolConnection, 'onLive' | 'ended'>,
  call: ToolConnection['call'],
): Promise<Result<AgentControl | undefined>> {
  const known = new Map<SessionId, LiveChange>()
  const told = new Set<SessionId>()
  const listeners = new Set<(id: SessionId) => void>()

  const take = (change: LiveChange): void => {
    const id = change.session_id
    if (change.status === null && !change.trouble) known.delete(id)
    else known.set(id, change)
    for (const listener of listeners) listener(id)
  }
  const unsubscribe = connection.onLive((change) => {
    told.add(change.session_id)
    take(change)
  })
  const started = await call('live_status', {})
  if (!started.ok) {
    unsubscribe()
    return started.error.code === 'owner_unreachable' ? started : ok(undefined)
  }
  // A change that came before this answer is the younger of the two.
  for (const change of changesIn(started.value)) if (!told.has(change.session_id)) take(change)
  void connection.ended.then(() => {
    unsubscribe()
    for (const change of known.values()) take({ session_id: change.session_id, status: null })
  })

  const act = async (method: string, params: object): Promise<Result<null>> => {
    const done = await call(method, params)
    return done.ok ? ok(null) : done
  }
  return ok({
    status: (id) => known.get(id)?.status ?? undefined,
    trouble: (id) => known.get(id)?.trouble,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    wake: (id) => act('wake', { session_id: id }),
    interrupt: (id) => act('interrupt', { session_id: id }),
    stop: (id) => act('stop', { session_id: id }),
    async answer(id, requestId, optionId) {
      const answered = await call('answer', { session_id: id, request_id: requestId, option_id: optionId })
      if (!answered.ok) return answered
      if (isAnswered(answered.value)) return ok(null)
      return fail(toolError('invalid_request', 'The agent does not ask this any more.', { field: 'request_id' }))
    },
    withdraw: (id, messageId) => act('withdraw', { session_id: id, message_id: messageId }),
  })
}

/** What is understood of an answer to `live_status`. */
function changesIn(answer: unknown): LiveChange[] {
  const sessions: unknown = typeof answer === 'object' && answer !== null && 'sessions' in answer && answer.sessions
  if (!Array.isArray(sessions)) return []
  return sessions.flatMap((given) => parseLiveChange(given) ?? [])
}

function isAnswered(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'answered' in answer && answer.answered === true
}
