import { counted, grouped } from '../ui/numbers.ts'
import { CircleX, TriangleAlert } from 'lucide-react'
import type { ForkPreview } from '../../shared/navigator-view.ts'
import { useShortPath } from '../state/settings-store.ts'
import { splitPath } from '../ui/paths.ts'
import type { PreviewState } from './use-preview.ts'

interface Props {
  readonly state: PreviewState
  readonly worktree: boolean
  /** Why it cannot be is now the answer to an attempt. */
  readonly isAnswer: boolean
}

/** What will be made and where, or why it cannot be; takes the same space whatever is known yet. */
export function ForkFacts({ state, worktree, isAnswer }: Props) {
  const { preview, error } = state
  const made = preview?.worktree
  const uncommitted = made?.uncommitted ?? 0
  if (error) {
    return (
      <div className="fork-facts fork-facts-failed" data-answer={isAnswer || undefined}>
        {/* Made anew when it becomes the answer, so that it is read out. */}
        <p key={String(isAnswer)} className="alert" role={isAnswer ? 'alert' : undefined}>
          <CircleX size={14} aria-hidden />
          <span>{error.message}</span>
        </p>
      </div>
    )
  }
  return (
    <>
      <dl className="fork-facts facts" aria-busy={preview === null}>
        <dt>Folder</dt>
        <dd>{preview ? <Path path={worktree ? (made?.path ?? '') : preview.cwd} /> : null}</dd>
        <dt>Branch</dt>
        <dd className="title">
          {worktree ? <span className="mono">{made?.branch}</span> : preview ? 'whichever is checked out there' : null}
        </dd>
        <dt>Starts at</dt>
        <dd className="title">
          {worktree && made ? (
            <span className="mono">
              {made.commit.slice(0, 7)} <span className="quiet">{made.startsAt}</span>
            </span>
          ) : worktree || !preview ? null : (
            'the files as they are'
          )}
        </dd>
        <dt>Inherits</dt>
        <dd className="title">{preview ? inherits(preview) : null}</dd>
      </dl>
      {worktree ? (
        <div className="fork-cautions">
          {uncommitted > 0 ? (
            <Caution>
              {uncommitted === 1
                ? '1 uncommitted file stays in the main folder. It does not come along.'
                : `${grouped(uncommitted)} uncommitted files stay in the main folder. They do not come along.`}
            </Caution>
          ) : null}
          {made?.notes.map((note) => (
            <Caution key={note}>{note}</Caution>
          ))}
        </div>
      ) : null}
    </>
  )
}

function Path({ path }: { readonly path: string }) {
  const { folder, name } = splitPath(useShortPath(path))
  return (
    <span className="mono fork-path" title={path}>
      <span className="title">{folder}</span>
      <span>{name}</span>
    </span>
  )
}

function Caution({ children }: { readonly children: React.ReactNode }) {
  return (
    <p className="caution">
      <TriangleAlert size={14} aria-hidden />
      <span>{children}</span>
    </p>
  )
}

function inherits({ events, step, turn }: ForkPreview): string {
  if (events === 0) return 'nothing: no step is finished yet'
  const count = counted(events, 'event')
  if (step !== undefined) return `${count}, through step ${step}`
  return turn === undefined ? count : `${count}, through turn ${turn}`
}
