import { ok, type Result } from '../../shared/result.ts'
import type { EventDraft, LogHeader } from '../../shared/session-event.ts'
import type { SessionPlace } from '../session-tree/session-tree.ts'

/** Under which terms a new session works: how its agent is started, and its own facts, such as a budget. */
interface SessionTerms {
  /** Absent: none applies yet, and the first prompt waits until one is chosen. */
  readonly agentPreset?: string
  readonly notes?: readonly EventDraft[]
  /** To be called once the session is published, or came to nothing: what was promised to it is then in a log, or free. */
  readonly settle?: () => void
}

/** What the terms of a new session follow from (design §7). */
interface TermsRequest {
  /** The preset that the request names. */
  readonly asked: string | undefined
  /** Tokens, where the host gave a budget of its own. */
  readonly budget: number | undefined
  /** Absent for a main. */
  readonly parent: { readonly place: SessionPlace; readonly header: LogHeader } | undefined
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Settles the terms. Fails with `unknown_preset`, `budget_exceeded`, or as reading presets and the parent's log does. */
export type TermsFor = (request: TermsRequest) => Promise<Result<SessionTerms>>

/** Where no agents are known, a preset is only a name: the one asked for, else the parent's. */
export const nameOnly: TermsFor = ({ asked, parent }) => {
  const agentPreset = asked ?? parent?.header.agentPreset
  return Promise.resolve(ok(agentPreset === undefined ? {} : { agentPreset }))
}
