import { counted } from '../ui/numbers.ts'
import { ChevronRight, GitFork } from 'lucide-react'
import { openSession } from '../state/view-store.ts'
import { cleanTitle, cutTitle, shortId } from '../ui/title.ts'
import { useBlockContext } from './block-context.ts'

/** Where a fork's own part begins; what it inherited is folded behind it. */
export function ForkMarkView() {
  const { details, showInherited, setShowInherited } = useBlockContext()
  const from = details?.forkedFrom
  const count = details?.seedLength ?? 0
  return (
    <div className="block-fork">
      <GitFork size={14} aria-hidden />
      <p className="fork-words">
        Forked from{' '}
        {from ? (
          <button
            type="button"
            className="fork-parent"
            onClick={() => {
              openSession(from.session_id)
            }}
          >
            <bdi>{cutTitle(cleanTitle(from.name) ?? `Session ${shortId(from.session_id)}`, 120)}</bdi>
          </button>
        ) : (
          'its main session'
        )}
        {from?.step === undefined ? '' : ` after step ${from.step}`}
        {from?.turn === undefined ? '' : ` of turn ${from.turn}`}
      </p>
      {count > 0 ? (
        <button
          type="button"
          className="fork-toggle small"
          aria-expanded={showInherited}
          onClick={() => {
            setShowInherited(!showInherited)
          }}
        >
          <ChevronRight size={13} aria-hidden />
          {counted(count, 'inherited event')}
        </button>
      ) : (
        <span className="small">nothing inherited</span>
      )}
    </div>
  )
}
