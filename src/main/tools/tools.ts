import type { Result } from '../../shared/result.ts'
import type { SessionId } from '../../shared/session-id.ts'
import type { SessionCreateResult, SessionSendResult, SessionStatusResult } from '../../shared/tools.ts'
import type { AgentHost } from '../agents/agent.ts'
import type { SessionTree } from '../session-tree/session-tree.ts'
import type { WorktreeProvider } from '../worktrees/worktree-provider.ts'
import type { Caller } from './caller.ts'
import { createCreationGuard, CREATION_LIMITS, type CreationLimits } from './creation-limits.ts'
import { createSession, type CreationParts } from './session-create.ts'
import { sendToSession } from './session-send.ts'
import { sessionStatus } from './session-status.ts'
import { nameOnly, type TermsFor } from './session-terms.ts'
import type { ToolOptions } from './tool-options.ts'

/**
 * The three tools of spec §3. The window, agents and the command line reach exactly these; only the caller differs. Requests
 * are parsed here, whoever they come from.
 */
export interface Tools {
  session_create(request: unknown, caller: Caller, options?: ToolOptions): Promise<Result<SessionCreateResult>>
  session_status(request: unknown, caller: Caller): Promise<Result<SessionStatusResult>>
  session_send(request: unknown, caller: Caller, options?: ToolOptions): Promise<Result<SessionSendResult>>
}

/**
 * Builds the tools over a tree this process owns.
 * @param parts.pendingFolder where intents of worktrees are kept until their session is published.
 * @param parts.rootCreationPermitted whether nobody in particular may make a main; only if the host says so (spec §3.1).
 * @param parts.agents told of work in an inbox, and asked who works; absent: prompts wait, and no session is known to run.
 * @param parts.termsFor settles preset and budget of a new session; absent: a preset is only a name.
 * @param parts.now milliseconds since the epoch; the system's clock if absent.
 */
export function createTools(parts: {
  readonly tree: SessionTree
  readonly worktrees: WorktreeProvider
  readonly pendingFolder: string
  readonly rootCreationPermitted?: boolean
  readonly agents?: Pick<AgentHost, 'wake' | 'status'> | undefined
  readonly termsFor?: TermsFor | undefined
  readonly limits?: CreationLimits
  readonly now?: () => number
}): Tools {
  const { tree, agents, rootCreationPermitted = false, now = Date.now } = parts
  const onWork = (id: SessionId) => agents?.wake(id)
  const creation: CreationParts = {
    tree,
    worktrees: parts.worktrees,
    pendingFolder: parts.pendingFolder,
    rootCreationPermitted,
    guard: createCreationGuard(parts.limits ?? CREATION_LIMITS),
    termsFor: parts.termsFor ?? nameOnly,
    onWork,
    now,
  }
  return {
    session_create: (request, caller, options) => createSession(creation, request, caller, options),
    session_status: (request, caller) => sessionStatus(tree, request, caller, agents),
    session_send: (request, caller, options) => sendToSession({ tree, onWork }, request, caller, options?.signal),
  }
}
