import { Popover } from '@base-ui/react/popover'
import { Copy, GitBranch, TriangleAlert } from 'lucide-react'
import type { SessionSummary } from '../../shared/navigator-view.ts'
import { copyText } from '../state/actions.ts'
import { useSessions } from '../state/session-store.ts'
import { useShortPath } from '../state/settings-store.ts'
import './place-badge.css'

const popover = Popover.createHandle<{ readonly session_id: string }>()

interface BadgeProps {
  readonly session: SessionSummary
  readonly tabIndex?: number
  /** In a row a missing folder is a mark alone, as whole groups have it; in the header the branch has its name. */
  readonly place: 'row' | 'header'
}

/** Says that a session has a worktree of its own, or that its folder is gone; a click shows where. Nothing else has one. */
export function PlaceBadge({ session, place }: BadgeProps) {
  const withBranch = place === 'header'
  const { warning, worktree } = session
  if (!warning && !worktree) return null
  const isMark = place === 'row' && warning?.kind === 'folder_missing'
  const gone = warning && (warning.kind === 'worktree_missing' ? 'worktree gone' : 'folder missing')
  return (
    <Popover.Trigger
      handle={popover}
      payload={{ session_id: session.session_id }}
      className={gone ? (isMark ? 'place-mark' : 'badge badge-warning') : 'badge badge-accent'}
      tabIndex={place === 'row' ? -1 : 0}
      title={warning?.message}
      aria-label={gone ?? (withBranch && worktree ? `Worktree, branch ${worktree.branch}` : 'worktree')}
      onClick={(event) => {
        event.stopPropagation()
      }}
    >
      {gone ? <TriangleAlert size={isMark ? 13 : 12} aria-hidden /> : null}
      {gone === undefined && withBranch ? <GitBranch size={12} aria-hidden /> : null}
      {isMark
        ? null
        : (gone ?? (withBranch && worktree ? <span className="place-branch">{worktree.branch}</span> : 'worktree'))}
    </Popover.Trigger>
  )
}

/** The one popover of all badges. */
export function PlacePopover() {
  return (
    <Popover.Root handle={popover}>
      {({ payload }) => (
        <Popover.Portal>
          <Popover.Positioner className="popup-layer" sideOffset={6} align="start" collisionPadding={8}>
            <Popover.Popup className="popup place-popup">
              {payload ? <Place session_id={payload.session_id} /> : null}
            </Popover.Popup>
          </Popover.Positioner>
        </Popover.Portal>
      )}
    </Popover.Root>
  )
}

function Place({ session_id }: { readonly session_id: string }) {
  const session = useSessions((state) => state.sessions.get(session_id))
  if (!session) return null
  const { warning, worktree, cwd } = session
  return (
    <>
      <Popover.Title className="place-title">{worktree ? 'Worktree' : 'Folder'}</Popover.Title>
      {warning ? (
        <p className="caution place-warning">
          <TriangleAlert size={14} aria-hidden />
          <span>{warning.message}</span>
        </p>
      ) : null}
      <dl className="facts place-facts">
        {worktree || cwd !== undefined ? <PlaceFact label="Folder" value={worktree?.path ?? cwd ?? ''} isPath /> : null}
        {worktree ? <PlaceFact label="Branch" value={worktree.branch} /> : null}
        {worktree ? <PlaceFact label="Started at" value={worktree.base} shown={worktree.base.slice(0, 7)} /> : null}
        {worktree ? <PlaceFact label="Repository" value={worktree.repository} isPath /> : null}
      </dl>
    </>
  )
}

function PlaceFact(props: {
  readonly label: string
  readonly value: string
  readonly shown?: string
  readonly isPath?: boolean
}) {
  const path = useShortPath(props.value)
  return (
    <>
      <dt>{props.label}</dt>
      <dd className="place-value">
        <span className="mono selectable">{props.shown ?? (props.isPath ? path : props.value)}</span>
        <button
          type="button"
          className="icon-button place-copy"
          aria-label={`Copy ${props.label.toLowerCase()}`}
          title={`Copy ${props.label.toLowerCase()}`}
          onClick={() => void copyText(props.value, `${props.label} copied.`)}
        >
          <Copy size={13} />
        </button>
      </dd>
    </>
  )
}
