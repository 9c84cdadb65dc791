import type { SessionId } from '../../shared/session-id.ts'

/** What a caller may pass beside a request. */
export interface ToolOptions {
  /** The id a creation gets, where the window has promised one: a worktree's path and branch are made from it. */
  readonly sessionId?: SessionId
  /** Tokens a creation may spend, where the host gives it a budget of its own; never a request's business. */
  readonly budget?: number
  readonly signal?: AbortSignal
  /** Sentences about what is going on, such as "Checking out files: 42%". */
  readonly onProgress?: (sentence: string) => void
  /** Sentences that should outlast the call, such as a hook that failed. Without it they go to `onProgress`. */
  readonly onWarning?: (sentence: string) => void
}
