import { counted, grouped } from '../ui/numbers.ts'
import { create } from 'zustand'
import type { ImportOffer, ImportProgress, ImportReport } from '../../shared/bridge.ts'
import { treeline } from '../bridge.ts'
import { say } from '../state/toasts.ts'

/** Bringing in DSH's own sessions: never without being asked. */
interface ImportState {
  readonly offer: ImportOffer | null
  readonly isRunning: boolean
  readonly isCancelling: boolean
  readonly progress: ImportProgress | null
  /** Shown where it has something to tell beside the count. */
  readonly report: ImportReport | null
}

export const useImport = create<ImportState>()(() => ({
  offer: null,
  isRunning: false,
  isCancelling: false,
  progress: null,
  report: null,
}))

/** Follows imports that run. Returns the stop. */
export function connectImport(): () => void {
  return treeline.navigator.on('import_progress', (progress) => {
    useImport.setState({ progress })
  })
}

/** Imports from the home's own folders, or from one that the person chooses. */
export async function startImport(folder: null | 'choose'): Promise<void> {
  if (useImport.getState().isRunning) return
  useImport.setState({ isRunning: true, isCancelling: false, progress: null, report: null })
  const answer = await treeline.navigator.import_start(folder)
  useImport.setState({ isRunning: false, isCancelling: false, progress: null })
  void readOffer()
  if (!answer.ok) {
    if (answer.error.code !== 'cancelled') say('failed', answer.error.message)
    return
  }
  const report = answer.value
  if (report.failed.length > 0 || report.diverged.length > 0) useImport.setState({ report })
  else if (!report.cancelled || report.imported + report.extended > 0) say('done', reportWords(report))
}

/** Ends a running import after the session it is at; what is in stays. */
export async function cancelImport(): Promise<void> {
  useImport.setState({ isCancelling: true })
  const answer = await treeline.navigator.import_cancel()
  if (!answer.ok) say('failed', answer.error.message)
}

/** Does not ask again. */
export async function dismissImport(): Promise<void> {
  useImport.setState(({ offer }) => ({ offer: offer && { ...offer, answered: true } }))
  const answer = await treeline.navigator.import_dismiss()
  if (!answer.ok) say('failed', answer.error.message)
}

/** Puts the report away. */
export function closeReport(): void {
  useImport.setState({ report: null })
}

/** What an import did, in a sentence. */
export function reportWords({ imported, extended, unchanged, cancelled }: ImportReport): string {
  const parts = [`${counted(imported, 'session')} imported`]
  if (extended > 0) parts.push(`${grouped(extended)} continued`)
  if (unchanged > 0) parts.push(`${grouped(unchanged)} already here`)
  return `${cancelled ? 'Cancelled: ' : ''}${parts.join(', ')}.`
}

/** Asks what there is to import. */
export async function readOffer(): Promise<void> {
  const answer = await treeline.navigator.import_offer()
  // No answer is no fault: the import can always be started from the settings.
  if (answer.ok) useImport.setState({ offer: answer.value })
}
