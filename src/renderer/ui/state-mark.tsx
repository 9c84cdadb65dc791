import { assertNever } from '../../shared/result.ts'
import type { SessionSummary } from '../../shared/navigator-view.ts'
import type { SessionStatus } from '../../shared/tools.ts'
import './state-mark.css'

/** `unseen` is not told by main yet; its shape belongs to the set all the same. */
export type Mark = SessionStatus | 'needs' | 'unseen'

export const MARK_WORDS: Readonly<Record<Mark, string>> = {
  needs: 'Needs you',
  failed: 'Failed',
  running: 'Running',
  unseen: 'Finished, not seen',
  idle: 'Idle',
  cold: 'Cold',
  missing: 'Missing',
}

/** From the one that matters most. */
const PRECEDENCE: readonly Mark[] = ['needs', 'failed', 'running', 'unseen', 'missing', 'idle', 'cold']

/** The mark that matters most; undefined for none. */
export function worstMark(marks: Iterable<Mark>): Mark | undefined {
  let worst = PRECEDENCE.length
  for (const mark of marks) worst = Math.min(worst, PRECEDENCE.indexOf(mark))
  return PRECEDENCE[worst]
}

/** A session's own state: that it needs a person says more than that it runs. */
export function markOf(session: { readonly status: SessionStatus; readonly needs_you?: boolean }): Mark {
  return session.needs_you ? 'needs' : session.status
}

/** A session's state in a word or two. */
export function stateWords(session: Parameters<typeof markOf>[0] & { readonly queued?: boolean }): string {
  return session.queued ? 'Waits for its turn' : MARK_WORDS[markOf(session)]
}

/** What a row shows: a session that rests while subagents work for it, or ask for a person, shows that. */
export function rowMark(session: Pick<SessionSummary, 'status' | 'needs_you' | 'subagents'>): Mark {
  const { worst, needs_you } = session.subagents
  const marks: Mark[] = [markOf(session)]
  if (needs_you) marks.push('needs')
  if (worst === 'running') marks.push('running')
  return worstMark(marks) ?? session.status
}

/**
 * A session's state as a shape, told apart without colour.
 * @param label read to screen readers; absent where the words stand beside it
 */
export function StateMark({ mark, label }: { readonly mark: Mark; readonly label?: string }) {
  return (
    <svg
      className={`mark mark-${mark}`}
      width="14"
      height="14"
      viewBox="0 0 14 14"
      fill="none"
      {...(label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
    >
      <Shape mark={mark} />
    </svg>
  )
}

function Shape({ mark }: { readonly mark: Mark }) {
  switch (mark) {
    case 'needs':
      return <path d="M7 2 12 7 7 12 2 7Z" fill="currentColor" />
    case 'failed':
      return <path d="M3.5 3.5l7 7m0-7l-7 7" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
    case 'running':
      return <path d="M7 2.5A4.5 4.5 0 1 0 11.5 7" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
    case 'unseen':
      return <circle cx="7" cy="7" r="3.5" fill="currentColor" />
    case 'idle':
      return <circle cx="7" cy="7" r="3.75" stroke="currentColor" strokeWidth="2" />
    case 'cold':
      return <circle cx="7" cy="7" r="3.75" stroke="currentColor" strokeWidth="1.25" />
    case 'missing':
      return <circle cx="7" cy="7" r="4" stroke="currentColor" strokeWidth="1.5" strokeDasharray="2.1 2.1" />
    default:
      return assertNever(mark)
  }
}
