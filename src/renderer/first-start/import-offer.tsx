import { counted } from '../ui/numbers.ts'
import { dismissImport, startImport, useImport } from './import-store.ts'
import { ImportRunning } from './first-start.tsx'
import { useShortPath } from '../state/settings-store.ts'

/** The offer where there are sessions already: one line over the content, until it is answered. */
export function ImportBanner() {
  const offer = useImport((state) => state.offer)
  const isRunning = useImport((state) => state.isRunning)
  const folder = useShortPath(offer?.folders[0] ?? '')
  if (isRunning)
    return (
      <aside className="import-banner" aria-label="Import">
        <ImportRunning />
      </aside>
    )
  if (!offer || offer.answered || offer.found === 0) return null
  return (
    <aside className="import-banner" aria-label="Import">
      <p>
        {counted(offer.found, 'session')} of DeepSeek Harness found in <span className="mono">{folder}</span>
        {offer.folders.length > 1 ? ` and ${offer.folders.length - 1} more` : ''}.
      </p>
      <button type="button" className="button" onClick={() => void startImport(null)}>
        Import
      </button>
      <button type="button" className="button" onClick={() => void dismissImport()}>
        Not now
      </button>
    </aside>
  )
}
