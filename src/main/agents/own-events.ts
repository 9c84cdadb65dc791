import type { EventDraft } from '../../shared/session-event.ts'

/*
 * What DSH has no event for (design §3): ignorable, so that DSH reads on past them. These names and shapes are ours; a fork
 * copies them with its seed, and what stands in a seed is the parent's.
 */

/** Stands before each `turn/start` of a turn that one of our agents runs: only such turns are closed after a crash. */
export const TURN_EVENT = 'session-tree/turn'
/** The agent's own id of the session: `{preset, agentSession}`. */
export const AGENT_EVENT = 'session-tree/agent'
/** The model asked for, written when the session is made. */
export const MODEL_EVENT = 'session-tree/model'
/** What an agent that counts a session's tokens through told last: `{told}`, its `usage` as it came. */
export const USAGE_EVENT = 'session-tree/acp-usage'
/** How an agent came to know what was said before: `{how, bytes?, logPath?, reason?}`. */
export const HISTORY_EVENT = 'session-tree/history'
/** Why an agent uses another model than was asked for: `{message, used}`. */
export const OTHER_MODEL_EVENT = 'session-tree/acp-model'
/** What an agent said that DSH has no event for: `{update}`, as it came, within bounds. */
export const UPDATE_EVENT = 'session-tree/acp-update'
/** A tool's result that came when nobody waited for it any more: `{turn, callId, text, isError}`. */
export const LATE_RESULT_EVENT = 'session-tree/late-result'
/** What a session may spend, and what it is for: `{limit?, preset?, scope?, role?}`; `preset` where the limit came from one. */
export const ENVELOPE_EVENT = 'session-tree/envelope'
/** An attempt to raise a limit: `{limit, asked, reason: "cap_raise_rejected"}`. */
export const RAISE_EVENT = 'session-tree/raise-rejected'
/** How a session ended, until its next turn: `{reason, outcome, time}`. */
export const END_EVENT = 'session-tree/end'
/** A piece of a command's output, while it runs: `{turn, step, callId, stream, text}`. */
export const OUTPUT_EVENT = 'session-tree/output'

/** Why a session ended, as Voss says it. `batch-invariant` is read, never written: nothing here can produce it. */
export const END_REASONS = [
  'done',
  'max-iter',
  'budget',
  'interrupt',
  'batch-invariant',
  'timeout',
  'killed',
  'error',
] as const

export type EndReason = (typeof END_REASONS)[number]

/** A session's terminal state; `time` is milliseconds since the epoch. */
export interface TerminalState {
  readonly reason: EndReason
  /** In a few words: "completed", "failed: …", "stopped". */
  readonly outcome: string
  readonly time: number
}

/** One of our own events, before the log has given it its place. */
export function ownDraft(type: `session-tree/${string}`, data: unknown, time: number): EventDraft {
  return { type, time, data, ignorable: true }
}

/** The event that ends a session until its next turn. */
export function endDraft({ reason, outcome, time }: TerminalState): EventDraft {
  return ownDraft(END_EVENT, { reason, outcome, time }, time)
}
