import type { ImportProgress, ImportReport } from '../../shared/bridge.ts'
import type { Result } from '../../shared/result.ts'
import type { SessionId } from '../../shared/session-id.ts'
import type { ToolError } from '../../shared/tool-error.ts'
import type { SessionCreateResult, SessionSendResult } from '../../shared/tools.ts'
import type { LiveStatus } from '../agents/agent.ts'
import type { Budgets } from '../agents/budget.ts'
import type { HostCaller } from '../tools/caller.ts'
import type { ToolOptions } from '../tools/tool-options.ts'

/**
 * A home as a person works with it: what writes, and the hand on its agents. Whether this process owns it (`ownedHome`) or
 * reaches it through the process that does (`reachHome`) makes no difference to who works with it; looking needs neither.
 */
export interface Home {
  /** The program that owns it, in words; absent where this process does. */
  readonly ownedBy?: string
  readonly tools: HostTools
  /** The live agents; absent where the owner runs none. */
  readonly agents?: AgentControl
  readonly budgets: Pick<Budgets, 'refuseRaise'>
  /** Gives a session another title; fails as `renameSession`. */
  rename(id: SessionId, title: string): Promise<Result<null>>
  /** Brings DSH's own sessions into the tree; without folders the home's own. Fails as `ImportDsh`. */
  importDsh(options: {
    readonly folders?: readonly string[]
    readonly signal?: AbortSignal
    readonly onProgress?: (progress: ImportProgress) => void
  }): Promise<Result<ImportReport>>
  /** Resolves when the owner is gone and this is of no use any more; absent where this process owns the home. */
  readonly ended?: Promise<unknown>
  /** Lets go of it: a home that is owned is given back, a connection ends. Safe to call twice. */
  close(): Promise<void>
}

/** The tools that write, for the person at this computer. Over a connection each may fail with `owner_unreachable`. */
interface HostTools {
  session_create(request: unknown, caller: HostCaller, options?: ToolOptions): Promise<Result<SessionCreateResult>>
  session_send(request: unknown, caller: HostCaller, options?: ToolOptions): Promise<Result<SessionSendResult>>
}

/** A person's hand on live agents, and what is known of them at this moment. */
export interface AgentControl {
  status(id: SessionId): LiveStatus | undefined
  /** Why the message that waits first is not taken. */
  trouble(id: SessionId): ToolError | undefined
  /** Told of every change of a status or trouble. Returns the unsubscribe. */
  onChange(listener: (id: SessionId) => void): () => void
  /** Tries what waits in the inbox once more. */
  wake(id: SessionId): Promise<Result<null>>
  /** Ends the running turn; the agent stays. */
  interrupt(id: SessionId): Promise<Result<null>>
  /** Ends the agent of a session. */
  stop(id: SessionId): Promise<Result<null>>
  /** Answers a question with an option's id; `invalid_request` if it is no longer asked. */
  answer(id: SessionId, requestId: string, optionId: string): Promise<Result<null>>
  /** Takes a waiting message back; `invalid_request` if it no longer waits. */
  withdraw(id: SessionId, messageId: string): Promise<Result<null>>
}
