import type { Result } from '../../shared/result.ts'
import type { SessionCreateResult, SessionSendResult, SessionStatusResult } from '../../shared/tools.ts'
import type { SessionTree } from '../session-tree/session-tree.ts'
import type { WorktreeProvider } from '../worktrees/worktree-provider.ts'
import type { Caller } from './caller.ts'
import { createSession } from './session-create.ts'
import { sendToSession } from './session-send.ts'
import { sessionStatus } from './session-status.ts'
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
 * @param parts.now milliseconds since the epoch; the system's clock if absent.
 */
export function createTools(parts: {
  readonly tree: SessionTree
  readonly worktrees: WorktreeProvider
  readonly pendingFolder: string
  readonly rootCreationPermitted?: boolean
  readonly now?: () => number
}): Tools {
  const { rootCreationPermitted = false, now = Date.now, ...rest } = parts
  const creation = { ...rest, rootCreationPermitted, now }
  return {
    session_create: (request, caller, options) => createSession(creation, request, caller, options),
    session_status: (request, caller) => sessionStatus(parts.tree, request, caller),
    session_send: (request, caller, options) => sendToSession(parts.tree, request, caller, options?.signal),
  }
}
