import { ok, type Result } from '../shared/result.ts'
import type { SessionStatusResult } from '../shared/tools.ts'
import { connectToOwner } from '../main/gateway/connect-to-owner.ts'
import type { HomePaths } from '../main/session-tree/home-paths.ts'
import type { SessionTree } from '../main/session-tree/session-tree.ts'

/**
 * `session_status` as the host: from the owner, who alone knows which agents are live, else from the disk, which says
 * all there is to know then. Fails as the tool does.
 */
export async function lookAsHost(paths: HomePaths, request: object, as?: string): Promise<Result<SessionStatusResult>> {
  const live = await askOwner(paths, 'session_status', { request, ...(as !== undefined && { as }) })
  if (live && !live.ok) return live
  if (live && isStatus(live.value)) return ok(live.value)
  const { sessionStatus } = await import('../main/tools/session-status.ts')
  const { hostCaller } = await import('../main/tools/caller.ts')
  const caller = hostCaller(as)
  return caller.ok ? sessionStatus(await treeToLookAt(paths), request, caller.value) : caller
}

/** Every main with its tree, from the owner or from the disk as {@link lookAsHost}. */
export async function listAsHost(paths: HomePaths): Promise<Result<unknown>> {
  const live = await askOwner(paths, 'session_list', {})
  if (live) return live
  const { listSessions } = await import('../main/tools/session-list.ts')
  return ok({ sessions: await listSessions(await treeToLookAt(paths)) })
}

/** Read in one go: there is no window that would have to wait, and a list takes a fraction of the time. */
async function treeToLookAt(paths: HomePaths): Promise<SessionTree> {
  const { openSessionTree } = await import('../main/session-tree/tree-provider.ts')
  const { blockingReading } = await import('../main/session-tree/blocking-reading.ts')
  return openSessionTree(paths.tree, blockingReading)
}

/** The owner's answer; undefined where none listens. */
async function askOwner(paths: HomePaths, method: string, params: object): Promise<Result<unknown> | undefined> {
  const owner = await connectToOwner(paths)
  if (!owner.ok) return undefined
  const answer = await owner.value.call(method, params)
  owner.value.close()
  return !answer.ok && answer.error.code === 'owner_unreachable' ? undefined : answer
}

/** The owner speaks the same version (the greeting says so); only that there is a tree is looked at. */
function isStatus(value: unknown): value is SessionStatusResult {
  return typeof value === 'object' && value !== null && 'tree' in value
}
