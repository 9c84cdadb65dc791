import { ChevronRight, GitBranch, TriangleAlert } from 'lucide-react'
import { memo, type CSSProperties } from 'react'
import type { SessionSummary } from '../../shared/navigator-view.ts'
import { showSessionMenu } from '../state/actions.ts'
import { useRelativeTime } from '../state/clock.ts'
import { useSessions } from '../state/session-store.ts'
import { openSession, setExpanded, useView } from '../state/view-store.ts'
import { PlaceBadge } from '../ui/place-badge.tsx'
import { RenameField } from '../ui/rename-field.tsx'
import { MARK_WORDS, rowMark, StateMark, stateWords, worstMark, type Mark } from '../ui/state-mark.tsx'
import { counted } from '../ui/numbers.ts'
import { fullTime } from '../ui/time.ts'
import { cutTitle, sessionName } from '../ui/title.ts'
import type { SessionRow as Row } from './rows.ts'

interface Props {
  readonly row: Row
  /** Pixels from the list's top. */
  readonly top: number
}

/**
 * A main or a fork. Two controls with two names: the row opens the session, the caret shows its forks. To a screen reader
 * the row is a tree item named by its title and described by the rest; what stands in it besides the title is for eyes
 * and pointer, as the keys of a tree reach it all.
 */
export const SessionRow = memo(DrawnRow, (before, after) => {
  const a = before.row
  const b = after.row
  return (
    before.top === after.top &&
    a.key === b.key &&
    a.level === b.level &&
    a.position === b.position &&
    a.size === b.size &&
    a.expandable === b.expandable &&
    a.expanded === b.expanded &&
    a.forks.length === b.forks.length &&
    a.forks.every((id, index) => id === b.forks[index])
  )
})

function DrawnRow({ row, top }: Props) {
  const session = useSessions((state) => state.sessions.get(row.key))
  const isCurrent = useView((view) => view.openRow === row.key)
  const isActive = useView((view) => view.activeRow === row.key)
  const isRenaming = useView((view) => view.renaming?.place === 'row' && view.renaming.session_id === row.key)
  const hidden = row.expanded ? undefined : row.forks
  const below = useSessions((state) => (hidden === undefined ? undefined : worstBelow(state.sessions, hidden)))
  const time = useRelativeTime(session?.updated_at ?? session?.created_at)
  if (!session) return null

  const name = sessionName(session)
  const style: CSSProperties = { transform: `translateY(${top}px)` }
  return (
    <div
      id={`row-${row.key}`}
      role="treeitem"
      className={row.level === 1 ? 'row' : 'row row-fork'}
      style={style}
      tabIndex={isActive ? 0 : -1}
      aria-description={describe(session, row)}
      aria-level={row.level}
      aria-posinset={row.position}
      aria-setsize={row.size}
      aria-expanded={row.expandable ? row.expanded : undefined}
      aria-current={isCurrent ? 'true' : undefined}
      aria-selected={isCurrent}
      onClick={() => {
        openSession(row.key)
      }}
      onContextMenu={(event) => {
        event.preventDefault()
        void showSessionMenu(row.key, { x: event.clientX, y: event.clientY })
      }}
    >
      {row.expandable ? (
        <button
          type="button"
          className="row-caret"
          aria-hidden
          tabIndex={-1}
          aria-label={`${row.expanded ? 'Hide' : 'Show'} forks of ${name}`}
          data-open={row.expanded || undefined}
          onClick={(event) => {
            event.stopPropagation()
            setExpanded(row.key, !row.expanded)
          }}
        >
          <ChevronRight size={14} />
        </button>
      ) : null}
      <RowMark mark={rowMark(session)} />
      {row.level === 2 ? <GitBranch className="row-branch" size={13} aria-hidden /> : null}
      {isRenaming ? (
        <RenameField session_id={row.key} title={session.title ?? name} />
      ) : (
        <bdi className="title row-title" title={name}>
          {cutTitle(name)}
        </bdi>
      )}
      {session.problem ? (
        <span className="row-problem" aria-hidden title={session.problem.message}>
          <TriangleAlert size={13} />
        </span>
      ) : null}
      <span className="row-badge" aria-hidden>
        <PlaceBadge session={session} place="row" />
      </span>
      {hidden !== undefined && hidden.length > 0 ? (
        <span className="row-below" aria-hidden title={belowWords(hidden.length, below)}>
          {below !== undefined && TOLD_BELOW.has(below) ? <StateMark mark={below} label={MARK_WORDS[below]} /> : null}
          <span>+{hidden.length}</span>
        </span>
      ) : null}
      {time === '' ? null : (
        <span className="row-time" aria-hidden title={fullTime(session.updated_at ?? session.created_at)}>
          {time}
        </span>
      )}
    </div>
  )
}

function RowMark({ mark }: { readonly mark: Mark }) {
  return (
    <span className="row-mark" aria-hidden title={MARK_WORDS[mark]}>
      <StateMark mark={mark} label={MARK_WORDS[mark]} />
    </span>
  )
}

/** States of hidden forks worth a mark; that they are cold is no news. */
const TOLD_BELOW: ReadonlySet<Mark> = new Set(['needs', 'failed', 'running', 'unseen', 'missing'])

function worstBelow(sessions: ReadonlyMap<string, SessionSummary>, forks: readonly string[]): Mark | undefined {
  const marks: Mark[] = []
  for (const id of forks) {
    const fork = sessions.get(id)
    if (fork) marks.push(rowMark(fork))
    if (fork?.subagents.worst) marks.push(fork.subagents.worst)
  }
  return worstMark(marks)
}

function belowWords(count: number, worst: Mark | undefined): string {
  const forks = counted(count, 'fork')
  return worst === undefined ? forks : `${forks}, ${MARK_WORDS[worst].toLowerCase()}`
}

function describe(session: SessionSummary, row: Row): string {
  const mark = rowMark(session)
  const parts = [stateWords(session)]
  if (mark !== session.status && !session.needs_you) parts.push(`a subagent: ${MARK_WORDS[mark].toLowerCase()}`)
  if (row.level === 1) parts.push(session.group.name)
  else parts.push('fork')
  if (session.problem) parts.push(session.problem.message)
  if (session.warning) parts.push(session.warning.message)
  else if (session.worktree) parts.push('own worktree')
  if (!row.expanded && row.forks.length > 0) parts.push(counted(row.forks.length, 'fork'))
  if (session.waiting) parts.push('a prompt waits')
  const time = fullTime(session.updated_at ?? session.created_at)
  if (time !== '') parts.push(time)
  return parts.join(', ')
}
