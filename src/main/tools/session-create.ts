import { fail, ok, type Result } from '../../shared/result.ts'
import type { LogHeader } from '../../shared/session-event.ts'
import type { SessionId } from '../../shared/session-id.ts'
import { toolError } from '../../shared/tool-error.ts'
import { sessionCreateRequest, type SessionCreateRequest, type SessionCreateResult } from '../../shared/tools.ts'
import { newSessionId } from '../session-tree/session-id.ts'
import type { NewSession, SessionPlace, SessionTree } from '../session-tree/session-tree.ts'
import type { WorktreeProvider } from '../worktrees/worktree-provider.ts'
import { actingSession } from './acting-session.ts'
import { mayCreate, type Caller } from './caller.ts'
import type { CreationGuard } from './creation-limits.ts'
import { parseRequest } from './parse-request.ts'
import { createRollback, type Rollback } from './rollback.ts'
import type { TermsFor } from './session-terms.ts'
import { checkFolder, inheritedFolder } from './working-folder.ts'
import type { ToolOptions } from './tool-options.ts'
import { addWorktree } from './worktree-step.ts'

/** What a creation works with. */
export interface CreationParts {
  readonly tree: SessionTree
  readonly worktrees: WorktreeProvider
  /** Where intents are kept until their session is published (design §2.6). */
  readonly pendingFolder: string
  readonly rootCreationPermitted: boolean
  readonly guard: CreationGuard
  readonly termsFor: TermsFor
  /** Told once a session is published: its first prompt waits in its inbox. */
  readonly onWork: (id: SessionId) => void
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/**
 * The tool `session_create` (spec §3.1–§3.3), in design §6's order: the caller's rights, the working folder, the boundary
 * as it was when the call came in, the worktree, the publication. Whole or not at all: a failure or a cancel on the way
 * undoes what this call made, also across a crash.
 * Fails as `mayCreate`, `checkFolder`, `CreationGuard.admit`, `TermsFor`, `SessionTree.boundary`, `WorktreeProvider.plan`/`add`
 * and `SessionTree.create` do, and with `invalid_request`, `unknown_session`, `cancelled`.
 */
export async function createSession(
  parts: CreationParts,
  request: unknown,
  caller: Caller,
  options: ToolOptions = {},
): Promise<Result<SessionCreateResult>> {
  const parsed = parseRequest(sessionCreateRequest, 'session_create', request)
  if (!parsed.ok) return parsed
  const draft = await draftSession(parts, parsed.value, caller, options)
  if (!draft.ok) return draft
  const { session, settle } = draft.value
  const rollback = createRollback()
  try {
    const made = await make(parts, session, parsed.value.worktree === true, options, rollback)
    if (!made.ok) return fail(await rollback.unwind(made.error))
    parts.onWork(session.id)
    return made
  } catch (bug) {
    await rollback.unwind(toolError('internal', String(bug)))
    throw bug
  } finally {
    settle()
  }
}

interface Draft {
  readonly session: NewSession
  /** Gives back what is kept for the session until it is published or given up. */
  readonly settle: () => void
}

/** Everything that only looks: who asks, for what, where, on which terms. Nothing is left by a failure here. */
async function draftSession(
  { tree, rootCreationPermitted, now, guard, termsFor }: CreationParts,
  request: SessionCreateRequest,
  caller: Caller,
  options: ToolOptions,
): Promise<Result<Draft>> {
  const { prompt, title, preset: asked, model, fork = false, worktree = false } = request
  const creator = await actingSession(tree, caller)
  if (!creator.ok) return creator
  const kind = mayCreate(creator.value, { fork, worktree }, rootCreationPermitted)
  if (!kind.ok) return kind
  const parent = creator.value ? await parentHeader(tree, creator.value) : undefined
  if (parent && !parent.ok) return parent
  const cwd = await folderFor(request.cwd, parent?.value)
  if (!cwd.ok) return cwd
  const boundary = creator.value && fork ? await tree.boundary(creator.value.id) : undefined
  if (boundary && !boundary.ok) return boundary
  const admitted = creator.value && (await guard.admit(creator.value))
  if (admitted && !admitted.ok) return admitted
  const createdAt = now()
  const below = creator.value && parent && { place: creator.value, header: parent.value }
  const terms = await termsFor({ asked, budget: options.budget, parent: below, now: createdAt })
  if (!terms.ok) {
    admitted?.value()
    return terms
  }
  const { agentPreset, notes, settle } = terms.value
  const session: NewSession = {
    id: options.sessionId ?? newSessionId(),
    kind: kind.value,
    ...(creator.value && { parent: creator.value.id }),
    cwd: cwd.value,
    prompt,
    ...(title !== undefined && { title }),
    ...(agentPreset !== undefined && { agentPreset }),
    ...(notes && { notes }),
    ...(model && { model }),
    ...(boundary && { boundary: boundary.value }),
    createdAt,
  }
  return ok({
    session,
    settle() {
      settle?.()
      admitted?.value()
    },
  })
}

/** A parent must be sound before anything is hung below it: layout and header agree, and the header can be read. */
async function parentHeader(tree: SessionTree, place: SessionPlace): Promise<Result<LogHeader>> {
  const { header, problem } = await tree.facts(place)
  if (header && !problem) return ok(header)
  const { code, message, ...about } = problem ?? toolError('log_damaged', `Its log ${place.logPath} has no header.`)
  return fail({ code, message: `Nothing can be created below ${place.id}. ${message}`, ...about })
}

async function folderFor(asked: string | undefined, parent: LogHeader | undefined): Promise<Result<string>> {
  if (asked !== undefined) return checkFolder(asked)
  if (parent) return inheritedFolder(parent)
  const message = 'A main session has no parent to take its working folder from. Give cwd.'
  return fail(toolError('invalid_request', message, { field: 'cwd' }))
}

/** Everything that writes. What it did is in `rollback`; after a success there is nothing to undo. */
async function make(
  parts: CreationParts,
  draft: NewSession,
  inWorktree: boolean,
  options: ToolOptions,
  rollback: Rollback,
): Promise<Result<SessionCreateResult>> {
  if (options.signal?.aborted) return fail(toolError('cancelled', 'The creation was cancelled. Nothing was made.'))
  const added = inWorktree ? await addWorktree(parts, draft, options, rollback) : undefined
  if (added && !added.ok) return added
  const session: NewSession = added ? { ...draft, cwd: added.value.record.path, worktree: added.value.record } : draft
  const published = await parts.tree.create(session, options.signal)
  if (!published.ok) return published
  await added?.value.published()
  return ok(resultOf(session, published.value))
}

function resultOf(session: NewSession, place: SessionPlace): SessionCreateResult {
  return {
    session_id: session.id,
    kind: session.kind,
    accepted: true,
    status: 'queued',
    ...(session.parent && { parent_session_id: session.parent }),
    root_session_id: place.ancestors[0] ?? session.id,
    cwd: session.cwd,
    ...(session.worktree && { worktree: session.worktree.path }),
  }
}
