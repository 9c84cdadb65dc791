import { ok, type Result } from '../../shared/result.ts'
import { parseSessionId } from '../../shared/session-id.ts'
import { sessionRenameRequest } from '../../shared/tools.ts'
import type { SessionTree } from '../session-tree/session-tree.ts'
import { parseRequest } from './parse-request.ts'

/**
 * Gives a session another title (spec §2.3): an event in its log; no folder, id or relation changes. For the host's window
 * only, it is no tool. Fails with `invalid_session_id`, `invalid_request` (blank title), `unknown_session`, or with what is
 * wrong with the log.
 */
export async function renameSession(tree: SessionTree, session_id: unknown, title: unknown): Promise<Result<null>> {
  const id = parseSessionId(session_id)
  if (!id.ok) return id
  const parsed = parseRequest(sessionRenameRequest, 'rename', { title })
  if (!parsed.ok) return parsed
  const renamed = await tree.rename(id.value, parsed.value.title)
  return renamed.ok ? ok(null) : renamed
}
