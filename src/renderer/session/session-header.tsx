import { ChevronRight, Ellipsis, FileCode2, GitFork } from 'lucide-react'
import type { SessionWork } from '../../shared/agent-view.ts'
import type { SessionDetails, SessionSummary } from '../../shared/navigator-view.ts'
import { askToFork, openLogInEditor, showSessionMenu, whyNoFork } from '../state/actions.ts'
import { openSession, useView } from '../state/view-store.ts'
import { PlaceBadge } from '../ui/place-badge.tsx'
import { RenameField } from '../ui/rename-field.tsx'
import { markOf, StateMark } from '../ui/state-mark.tsx'
import { cleanTitle, cutTitle, sessionName, shortId } from '../ui/title.ts'
import { shortcut } from '../ui/typing.ts'
import { BudgetControl } from './budget-control.tsx'
import { SubagentsControl } from './subagents-control.tsx'
import { standingWords } from './work-words.ts'

interface Props {
  readonly session_id: string
  readonly summary: SessionSummary | undefined
  readonly details: SessionDetails | null
  readonly work: SessionWork | null
}

/** Where the session stands in its tree, its name and state, and what can be done with it. */
export function SessionHeader({ session_id, summary, details, work }: Props) {
  const name = summary ? sessionName(summary) : `Session ${shortId(session_id)}`
  const isRenaming = useView((view) => view.renaming?.place === 'header' && view.renaming.session_id === session_id)
  const reason = summary ? whyNoFork(session_id) : 'The session is still being read.'
  const above = details?.breadcrumb.slice(0, -1) ?? []
  return (
    <header className="session-header">
      <div className="session-head">
        <div className="session-line">
          {above.length > 0 ? (
            <nav aria-label="Where this session stands" className="breadcrumb">
              {above.map((part) => (
                <span key={part.session_id} className="breadcrumb-part">
                  <button
                    type="button"
                    className="title breadcrumb-link"
                    title={cleanTitle(part.name) ?? part.name}
                    onClick={() => {
                      openSession(part.session_id)
                    }}
                  >
                    <bdi>{cutTitle(cleanTitle(part.name) ?? `Session ${shortId(part.session_id)}`, 80)}</bdi>
                  </button>
                  <ChevronRight size={13} aria-hidden />
                </span>
              ))}
            </nav>
          ) : null}
          {isRenaming ? (
            <RenameField session_id={session_id} title={summary?.title ?? name} />
          ) : (
            <h1 className="session-title">
              <button
                type="button"
                className="title session-title-button"
                title={`${name}\nClick to rename (F2)`}
                aria-label={`${name}, rename`}
                onClick={() => {
                  useView.setState({ renaming: { session_id, place: 'header' } })
                }}
              >
                <bdi>{cutTitle(name)}</bdi>
              </button>
            </h1>
          )}
          {summary ? <span className="badge badge-outline">{summary.kind}</span> : null}
        </div>
        <div className="session-line session-facts">
          {summary ? (
            <span className="session-state">
              <StateMark mark={markOf(summary)} />
              {standingWords(summary, work)}
            </span>
          ) : null}
          {details?.model === undefined ? null : <span className="title">{details.model}</span>}
          {work?.budget_view ? <BudgetControl session_id={session_id} budget={work.budget_view} /> : null}
          {summary ? <PlaceBadge session={summary} place="header" /> : null}
          {summary && !summary.worktree && !summary.warning ? (
            <span className="title" title={summary.cwd}>
              {summary.group.name}
            </span>
          ) : null}
        </div>
      </div>
      <div className="session-actions">
        {details && details.subagents.length > 0 ? <SubagentsControl details={details} work={work} /> : null}
        <button
          type="button"
          className="button"
          aria-disabled={reason !== null}
          aria-label={reason === null ? undefined : `Fork, not possible: ${reason}`}
          title={reason ?? `Fork this session (${shortcut({ mac: '⇧⌘F', other: 'Ctrl Shift F' })})`}
          onClick={() => {
            if (reason === null) askToFork(session_id, false)
          }}
        >
          <GitFork size={14} aria-hidden />
          Fork
        </button>
        <button
          type="button"
          className="icon-button"
          aria-label="Open log in editor"
          title={`Open log in editor (${shortcut({ mac: '⌘O', other: 'Ctrl O' })})`}
          onClick={() => void openLogInEditor(session_id)}
        >
          <FileCode2 size={16} />
        </button>
        <button
          type="button"
          className="icon-button"
          aria-label="More actions"
          title="More actions"
          aria-haspopup="menu"
          onClick={(event) => {
            const box = event.currentTarget.getBoundingClientRect()
            void showSessionMenu(session_id, { x: box.left, y: box.bottom + 4 })
          }}
        >
          <Ellipsis size={16} />
        </button>
      </div>
    </header>
  )
}
