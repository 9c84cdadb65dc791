import { assertNever } from '../../shared/result.ts'
import type { TurnEnd } from './agent.ts'
import type { EndReason } from './own-events.ts'

/** Why the host ended a turn before the agent did. */
export type StopCause = 'user' | 'stop' | 'closing' | 'budget' | 'timeout' | 'steps' | 'log'

/** How a turn ended, in DSH's words for its log and in Voss's for the session. */
export interface WrittenEnd {
  /** The `reason` of `turn/end` (dsh-format §5). */
  readonly reason: Readonly<Record<string, unknown>>
  readonly state: EndReason
  readonly outcome: string
}

/**
 * @param cause absent where the agent ended the turn by itself.
 * @param isUsedUp a limit was reached in the turn: many agents tell what they spent only at its end.
 */
export function writtenEnd(end: TurnEnd, cause: StopCause | undefined, isUsedUp: boolean): WrittenEnd {
  if (cause !== undefined && end.kind !== 'completed') return STOPPED[cause]
  switch (end.kind) {
    case 'completed':
      if (isUsedUp) return { ...STOPPED.budget, reason: { kind: 'completed' } }
      return { reason: { kind: 'completed' }, state: 'done', outcome: 'completed' }
    case 'aborted':
      return { reason: aborted('user'), state: 'interrupt', outcome: 'stopped by the agent' }
    case 'max-tokens':
      return { reason: { kind: 'max-tokens' }, state: 'error', outcome: 'the answer was cut at its longest' }
    case 'max-steps':
      return { reason: aborted('hook'), state: 'max-iter', outcome: 'the agent reached its own limit of steps' }
    case 'error': {
      const { message, code } = end
      return { reason: { kind: 'error', error: { message, code } }, state: 'error', outcome: `failed: ${message}` }
    }
    default:
      return assertNever(end)
  }
}

function aborted(by: 'user' | 'hook' | 'disposed'): Readonly<Record<string, unknown>> {
  return { kind: 'aborted', reason: { kind: by } }
}

const STOPPED: Readonly<Record<StopCause, WrittenEnd>> = {
  user: { reason: aborted('user'), state: 'interrupt', outcome: 'stopped' },
  stop: { reason: aborted('user'), state: 'killed', outcome: 'its agent was ended' },
  closing: { reason: aborted('disposed'), state: 'interrupt', outcome: 'Treeline was closed' },
  budget: { reason: aborted('hook'), state: 'budget', outcome: 'the budget was used up' },
  timeout: { reason: aborted('hook'), state: 'timeout', outcome: 'the time limit was reached' },
  steps: { reason: aborted('hook'), state: 'max-iter', outcome: 'the step limit was reached' },
  log: { reason: aborted('hook'), state: 'error', outcome: 'the log could not be written' },
}
