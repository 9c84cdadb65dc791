import { FileX2, MessageSquareDashed } from 'lucide-react'
import type { SessionDetails, SessionSummary } from '../../shared/navigator-view.ts'
import type { ToolError } from '../../shared/tool-error.ts'
import { copyText, openLogInEditor, revealLog } from '../state/actions.ts'
import { useShortPath } from '../state/settings-store.ts'

interface Props {
  readonly session_id: string
  readonly summary: SessionSummary | undefined
  readonly details: SessionDetails | null
}

/** A log that cannot be shown: what is the matter, where it is, what can be done. */
export function TranscriptProblem({ session_id, summary, details, error }: Props & { readonly error: ToolError }) {
  const path = details?.session_path ?? error.path ?? summary?.problem?.path
  return (
    <div className="transcript transcript-state">
      <FileX2 size={24} strokeWidth={1.5} aria-hidden />
      <h2>This log cannot be shown</h2>
      <p className="selectable">{error.message}</p>
      <Path session_id={session_id} path={path} isThere={error.code !== 'log_missing'} />
    </div>
  )
}

/** A log without anything said in it. */
export function EmptyTranscript({ session_id, summary, details }: Props) {
  const problem = summary?.problem
  return (
    <div className="transcript transcript-state">
      <MessageSquareDashed size={24} strokeWidth={1.5} aria-hidden />
      <h2>{problem ? 'Nothing here can be read' : 'Nothing has been said yet'}</h2>
      <p className="selectable">
        {problem?.message ?? 'The log holds no messages. An agent begins once you send something.'}
      </p>
      <Path session_id={session_id} path={details?.session_path ?? problem?.path} isThere />
    </div>
  )
}

function Path(props: { readonly session_id: string; readonly path: string | undefined; readonly isThere: boolean }) {
  const { session_id, path, isThere } = props
  const shown = useShortPath(path ?? '')
  if (path === undefined) return null
  return (
    <>
      <p className="mono selectable state-path">{shown}</p>
      <div className="state-actions">
        {isThere ? (
          <button type="button" className="button" onClick={() => void openLogInEditor(session_id)}>
            Open log in editor
          </button>
        ) : null}
        {isThere ? (
          <button type="button" className="button" onClick={() => void revealLog(session_id)}>
            Reveal log
          </button>
        ) : null}
        <button type="button" className="button" onClick={() => void copyText(path, 'Path copied.')}>
          Copy path
        </button>
      </div>
    </>
  )
}
