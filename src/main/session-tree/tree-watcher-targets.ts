import type { SessionId } from '../../shared/session-id.ts'
import { COLLECTION } from './layout.ts'
import type { TreeIndex } from './tree-watcher-index.ts'
import type { KnownFolder, KnownSession } from './tree-watcher-known.ts'

/**
 * The directories to watch beside the root, by path, the open session's first. A session's own directory tells of its
 * log and of new collections, each collection of new children.
 */
export function watchTargets(
  index: Pick<TreeIndex, 'at'>,
  opened: SessionId | null,
  visible: readonly SessionId[],
): ReadonlyMap<string, KnownFolder | KnownSession> {
  const targets = new Map<string, KnownFolder | KnownSession>()

  function want(session: KnownSession, withSubagents: boolean): void {
    targets.set(session.place.directory, session)
    for (const folder of session.collections.values()) targets.set(folder.path, folder)
    if (!withSubagents) return
    // The header of the open session lists its subagents of any depth, stopping at forks.
    const children = session.collections.get(COLLECTION.subagent)?.sessions.values() ?? []
    for (const child of children) want(child, true)
  }

  const open = opened === null ? undefined : index.at(opened)
  if (open) want(open, true)
  for (const id of visible) {
    const session = index.at(id)
    if (session) want(session, false)
  }
  return targets
}
