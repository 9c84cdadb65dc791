import { fail, ok, type Result } from '../../shared/result.ts'
import { parseSessionId, type SessionId } from '../../shared/session-id.ts'
import { toolError } from '../../shared/tool-error.ts'
import type { SessionKind } from '../../shared/tools.ts'
import type { SessionPlace } from '../session-tree/session-tree.ts'

/** Who invokes a tool (design §4). The host acts for a session by `as`, beside the request and never in it. */
export type Caller = HostCaller | { readonly kind: 'session'; readonly id: SessionId }

/** The person at this computer, for nobody in particular or for the session in `as`. */
export interface HostCaller {
  readonly kind: 'host'
  readonly as?: SessionId
}

/** What the rules look at: where a session stands. The layout says it all, so a {@link SessionPlace} will do. */
type Standing = Pick<SessionPlace, 'id' | 'kind' | 'ancestors'>

/**
 * The host as a caller, from what stood beside its request.
 * @param as absent for the host itself, else the session it acts for; anything that is no id is `invalid_session_id`.
 */
export function hostCaller(as: unknown): Result<HostCaller> {
  if (as === undefined) return ok({ kind: 'host' })
  const id = parseSessionId(as, 'as')
  return id.ok ? ok({ kind: 'host', as: id.value }) : id
}

/** The session whose rights count, or undefined for nobody in particular: the host that acts for no session. */
export function actingFor(caller: Caller): SessionId | undefined {
  return caller.kind === 'session' ? caller.id : caller.as
}

/**
 * Who may create what (spec §3.1's table and its list of invalid combinations).
 * @param creator the session that asks; undefined for nobody in particular.
 * @param rootCreationPermitted whether this host lets nobody in particular make a main.
 * @returns the kind of the child; else `worktree_needs_fork`, `fork_needs_main` or `root_creation_not_permitted`.
 */
export function mayCreate(
  creator: Standing | undefined,
  wanted: { readonly fork: boolean; readonly worktree: boolean },
  rootCreationPermitted: boolean,
): Result<SessionKind> {
  if (wanted.worktree && !wanted.fork) {
    const message = 'A worktree is made for a fork only. Set fork to true as well, or leave worktree out.'
    return fail(toolError('worktree_needs_fork', message, { field: 'worktree' }))
  }
  if (!creator) {
    if (wanted.fork) {
      const message = 'A fork needs a main session to start from. Act for that main session, or leave fork out.'
      return fail(toolError('fork_needs_main', message, { field: 'fork' }))
    }
    if (rootCreationPermitted) return ok('main')
    const message = 'New main sessions are not permitted here. Act for a session to create a subagent or a fork of it.'
    return fail(toolError('root_creation_not_permitted', message))
  }
  if (!wanted.fork) return ok('subagent')
  if (creator.kind === 'main') return ok('fork')
  const main = creator.ancestors[0]
  const remedy = main ? `Leave fork out to create a subagent, or fork its main session ${main}.` : 'Leave fork out.'
  const message = `${creator.id} is a ${creator.kind}, and only main sessions can be forked. ${remedy}`
  return fail(toolError('fork_needs_main', message, { field: 'fork' }))
}

/**
 * Who may ask for whom by id: a session for itself and what is below it, nobody in particular for everything.
 * @returns `outside_tree` for an ancestor, a sibling or a session of another tree.
 */
export function maySee(viewer: Standing | undefined, target: Standing): Result<void> {
  if (!viewer || viewer.id === target.id || target.ancestors.includes(viewer.id)) return ok(undefined)
  const message = `${target.id} is neither ${viewer.id} nor below it. Ask without session_id for the whole tree of your main session.`
  return fail(toolError('outside_tree', message, { field: 'session_id' }))
}

/**
 * Who may send to whom (spec §3.5): a session to its direct children, nobody in particular to mains.
 * @returns `not_direct_child` inside the sender's tree and for the host, `outside_tree` for a stranger.
 */
export function maySend(sender: Standing | undefined, target: Standing): Result<void> {
  const parent = target.ancestors.at(-1)
  if (parent === sender?.id) return ok(undefined)
  const about = { field: 'session_id' }
  if (!sender) {
    const message = `${target.id} is a ${target.kind}: messages to it come from its parent. Act for ${parent} to send this one.`
    return fail(toolError('not_direct_child', message, about))
  }
  if (sender.id === target.id) {
    return fail(
      toolError('not_direct_child', `${sender.id} cannot send to itself, only to its direct children.`, about),
    )
  }
  if (rootOf(sender) !== rootOf(target)) {
    const message = `${target.id} belongs to another tree. ${sender.id} can send to its direct children only.`
    return fail(toolError('outside_tree', message, about))
  }
  if (target.ancestors.includes(sender.id)) {
    const between = target.ancestors[target.ancestors.indexOf(sender.id) + 1]
    const message = `${target.id} is below ${sender.id}, but not its direct child. Send to ${between}, which can pass it on.`
    return fail(toolError('not_direct_child', message, about))
  }
  const message = `${target.id} is not a child of ${sender.id}. A session can send to its direct children only.`
  return fail(toolError('not_direct_child', message, about))
}

function rootOf(session: Standing): SessionId {
  return session.ancestors[0] ?? session.id
}
