import { counted } from '../ui/numbers.ts'
import { Trees } from 'lucide-react'
import { treeline } from '../bridge.ts'
import { useSessions } from '../state/session-store.ts'
import { useShortPath } from '../state/settings-store.ts'
import { useView } from '../state/view-store.ts'
import { say } from '../state/toasts.ts'
import { cancelImport, startImport, useImport } from './import-store.ts'
import './first-start.css'

/** An empty home: where we looked, what else was found, what can be done. */
export function FirstStart() {
  const home = useSessions((state) => state.home)
  const offer = useImport((state) => state.offer)
  const isRunning = useImport((state) => state.isRunning)
  const tree = useShortPath(`${home}/session-tree`)
  const found = offer?.found ?? 0
  return (
    <section className="first-start" aria-label="First start">
      <Trees size={28} strokeWidth={1.5} aria-hidden />
      <h1>No sessions here yet</h1>
      <p>
        Treeline looked in <span className="mono">{tree}</span>.{' '}
        {offer === null ? null : found > 0 ? (
          <>
            It also found {counted(found, 'session')} of DeepSeek Harness in <Folders folders={offer.folders} />.
          </>
        ) : (
          'There are no sessions of DeepSeek Harness beside it either.'
        )}
      </p>
      {isRunning ? (
        <ImportRunning />
      ) : (
        <div className="first-actions">
          {found > 0 ? (
            <button type="button" className="button button-primary" onClick={() => void startImport(null)}>
              Import {counted(found, 'session')}
            </button>
          ) : null}
          <button
            type="button"
            className="button"
            onClick={() => {
              useView.setState({ dialog: 'new-session' })
            }}
          >
            New session
          </button>
          <button type="button" className="button" onClick={() => void startImport('choose')}>
            Choose another folder…
          </button>
          <button type="button" className="button" onClick={() => void openSample()}>
            Open the sample tree
          </button>
        </div>
      )}
    </section>
  )
}

function Folders({ folders }: { readonly folders: readonly string[] }) {
  return folders.map((folder, index) => (
    <span key={folder}>
      {index === 0 ? '' : index === folders.length - 1 ? ' and ' : ', '}
      <FolderName path={folder} />
    </span>
  ))
}

function FolderName({ path }: { readonly path: string }) {
  return <span className="mono">{useShortPath(path)}</span>
}

/** How far an import is, and the way to end it. */
export function ImportRunning() {
  const progress = useImport((state) => state.progress)
  const isCancelling = useImport((state) => state.isCancelling)
  const done = progress?.done ?? 0
  const total = progress?.total ?? 0
  return (
    <div className="import-running">
      <div
        className="progress"
        role="progressbar"
        aria-label="Import"
        aria-valuemin={0}
        aria-valuemax={Math.max(total, 1)}
        aria-valuenow={done}
      >
        <span style={{ width: `${total === 0 ? 0 : (done / total) * 100}%` }} />
      </div>
      <div className="import-line">
        <p className="title small" role="status">
          {isCancelling ? 'Cancelling…' : (progress?.sentence ?? 'Reading the folders…')}
        </p>
        <button type="button" className="button" disabled={isCancelling} onClick={() => void cancelImport()}>
          Cancel
        </button>
      </div>
    </div>
  )
}

async function openSample(): Promise<void> {
  const answer = await treeline.navigator.open_sample()
  if (!answer.ok) say('failed', answer.error.message)
}
