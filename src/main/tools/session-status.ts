import { fail, ok, type Result } from '../../shared/result.ts'
import { parseSessionId, type SessionId } from '../../shared/session-id.ts'
import { toolError } from '../../shared/tool-error.ts'
import { sessionStatusRequest, type SessionStatusResult } from '../../shared/tools.ts'
import type { SessionTree } from '../session-tree/session-tree.ts'
import { actingSession } from './acting-session.ts'
import { maySee, type Caller } from './caller.ts'
import { withLiveAgents, type LiveAgents } from './live-view.ts'
import { parseRequest } from './parse-request.ts'

/**
 * The tool `session_status` (spec §3.4): without an id the whole tree of the caller's main, with one that session and
 * what is below it. It only looks: no lock, no repair, no write; no session is resumed.
 * Fails with `invalid_request`, `invalid_session_id`, `session_required` (host without an id), `unknown_session` (an id that
 * is nowhere), `outside_tree`.
 * @param agents the live ones, where this process has them; else each session is as its log says.
 */
export async function sessionStatus(
  tree: SessionTree,
  request: unknown,
  caller: Caller,
  agents?: LiveAgents,
): Promise<Result<SessionStatusResult>> {
  const parsed = parseRequest(sessionStatusRequest, 'session_status', request)
  if (!parsed.ok) return parsed
  const asked = parsed.value.session_id === undefined ? undefined : parseSessionId(parsed.value.session_id)
  if (asked && !asked.ok) return asked
  const viewer = await actingSession(tree, caller)
  if (!viewer.ok) return viewer
  if (!asked) {
    if (!viewer.value) {
      const message = 'Say which session to look at: session list shows every main session with its id.'
      return fail(toolError('session_required', message, { field: 'session_id' }))
    }
    return view(tree, viewer.value.ancestors[0] ?? viewer.value.id, agents)
  }
  const target = await tree.locate(asked.value)
  if (!target.ok) return target
  const seen = maySee(viewer.value, target.value)
  return seen.ok ? view(tree, asked.value, agents) : seen
}

async function view(
  tree: SessionTree,
  id: SessionId,
  agents: LiveAgents | undefined,
): Promise<Result<SessionStatusResult>> {
  const found = await tree.view(id)
  return found.ok ? ok({ tree: withLiveAgents(found.value, agents) }) : found
}
