import type { SessionWork } from '../../shared/agent-view.ts'
import type { SessionDetails, SessionSummary } from '../../shared/navigator-view.ts'
import { grouped } from '../ui/numbers.ts'
import { isUsedUp } from './budget-words.ts'

type Summary = Pick<SessionSummary, 'status' | 'queued' | 'problem'>

/** Why what waits is not being worked on, and the way on: an agent to choose, or another try. */
export interface Standing {
  readonly words: string
  readonly way?: 'choose-agent' | 'start' | 'try-again'
}

/** Whether a session can be written to at all. */
export function isBlocked({ status, problem }: Summary): boolean {
  return problem !== undefined || status === 'missing'
}

/** Whether there is something to stop. */
export function isBusy({ status, queued }: Summary): boolean {
  return status === 'running' || queued === true
}

/** What will become of a message; '' where nobody knows, or where {@link standingOf} says it. */
export function whoTakesIt(summary: Summary, work: SessionWork | null): string {
  if (isBlocked(summary) || work?.agent === undefined || isOut(work)) return ''
  return isBusy(summary) ? `${work.agent.label} takes it next` : `${work.agent.label} works on it`
}

/** Nothing where all goes as it should, and while nobody knows. */
export function standingOf(
  summary: Summary,
  details: Pick<SessionDetails, 'trouble'> | null,
  work: SessionWork | null,
): Standing | null {
  if (work === null || isBlocked(summary) || summary.status === 'running') return null
  const isWaiting = work.waiting.length > 0
  if (work.budget_view && isOut(work)) {
    const waits = isWaiting ? 'What waits here is not run.' : 'What you send waits and is not run.'
    const limit = grouped(work.budget_view.limit)
    return { words: `The budget of ${limit} tokens is used up. ${waits} Make a new session to go on.` }
  }
  if (work.agent === undefined) {
    const words = isWaiting ? work.no_agent : undefined
    return { words: words ?? 'No agent takes messages here yet: what you send waits.', way: 'choose-agent' }
  }
  if (summary.queued) return { words: 'Waits until one of the running sessions has finished its turn.' }
  if (!isWaiting) return null
  const trouble = details?.trouble
  return trouble === undefined
    ? { words: 'What waits in the inbox has not been started.', way: 'start' }
    : { words: trouble, way: 'try-again' }
}

function isOut({ budget_view }: SessionWork): boolean {
  return budget_view !== undefined && isUsedUp(budget_view)
}
