import type { SessionEnded, WorkDone } from '../../shared/agent-view.ts'
import type { SessionSummary, SubagentSummary } from '../../shared/navigator-view.ts'
import { stateWords } from '../ui/state-mark.tsx'
import { duration } from '../ui/time.ts'

const ENDED: Readonly<Record<SessionEnded['reason'], string>> = {
  done: 'done',
  'max-iter': 'stopped at its most steps',
  budget: 'stopped by its budget',
  interrupt: 'stopped',
  'batch-invariant': 'stopped',
  timeout: 'ran out of time',
  killed: 'interrupted',
  error: 'failed',
}

/** 6.1k, 1.2M: tokens in a glance. */
export function tokenCount(tokens: number): string {
  if (tokens < 1000) return String(tokens)
  if (tokens < 999_950) return `${(tokens / 1000).toFixed(1)}k`
  return `${(tokens / 1_000_000).toFixed(1)}M`
}

/** Why a session was stopped short of its end, by a limit and not by a person. */
const CUT_SHORT: ReadonlySet<SessionEnded['reason']> = new Set(['budget', 'timeout', 'max-iter'])

/** How the open session stands, and where a limit stopped it, which. */
export function standingWords(
  summary: Pick<SessionSummary, 'status' | 'needs_you' | 'queued'>,
  work: WorkDone | null,
): string {
  const words = stateWords(summary)
  const isBusy = summary.needs_you || summary.queued || summary.status === 'running'
  if (isBusy || work?.ended === undefined || !CUT_SHORT.has(work.ended.reason)) return words
  return `${words}, ${ENDED[work.ended.reason]}`
}

/** How a subagent stands: what is wrong with it, what it does, else how it ended. */
export function standing(subagent: SubagentSummary, work: WorkDone | undefined): string {
  if (subagent.problem !== undefined) return subagent.problem
  const isBusy = subagent.needs_you || subagent.queued || subagent.status === 'running'
  if (isBusy || work?.ended === undefined || subagent.status === 'missing') return stateWords(subagent)
  const { budget } = work
  const ended = ENDED[work.ended.reason]
  return work.ended.reason === 'budget' && budget
    ? `${ended}, ${tokenCount(budget.spent)} of ${tokenCount(budget.limit)}`
    : ended
}

/** From its making to its end; undefined while it works, and where the log does not say. */
export function lasted(subagent: SubagentSummary, work: WorkDone | undefined): string | undefined {
  if (work?.ended === undefined || subagent.status === 'running' || subagent.created_at === undefined) return undefined
  return duration(work.ended.time - subagent.created_at)
}
