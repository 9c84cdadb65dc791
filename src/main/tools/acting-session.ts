import { ok, type Result } from '../../shared/result.ts'
import type { SessionPlace, SessionTree } from '../session-tree/session-tree.ts'
import { actingFor, type Caller } from './caller.ts'

/**
 * Where the session a caller acts for stands on disk; undefined for the host itself. The layout, not the caller, says
 * what kind it is. Fails with `unknown_session`, about `as` where the host named it.
 */
export async function actingSession(tree: SessionTree, caller: Caller): Promise<Result<SessionPlace | undefined>> {
  const id = actingFor(caller)
  if (id === undefined) return ok(undefined)
  const place = await tree.locate(id)
  if (place.ok || caller.kind === 'session') return place
  return { ok: false, error: { ...place.error, field: 'as' } }
}
