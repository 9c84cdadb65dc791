import { CSPProvider } from '@base-ui/react/csp-provider'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { treeline } from './bridge.ts'
import { FirstStart } from './first-start/first-start.tsx'
import { ImportBanner } from './first-start/import-offer.tsx'
import { ImportReportDialog } from './first-start/import-report.tsx'
import { ForkDialog } from './fork/fork-dialog.tsx'
import { NewSessionDialog } from './new-session/new-session-dialog.tsx'
import { NoSession, ReadFailure } from './no-session.tsx'
import { SessionView } from './session/session-view.tsx'
import { SettingsDialog } from './settings/settings-dialog.tsx'
import { Sidebar } from './sidebar/sidebar.tsx'
import { UnreadableDialog } from './sidebar/unreadable-dialog.tsx'
import { markReady, markSettled } from './state/readiness.ts'
import { useSessions } from './state/session-store.ts'
import { openSession, useView } from './state/view-store.ts'
import { orderTree } from './sidebar/rows.ts'
import { PlacePopover } from './ui/place-badge.tsx'
import { ToastStack } from './ui/toast-stack.tsx'

/** The window: sessions at the left, the open one at the right. */
export function App() {
  const phase = useSessions((state) => state.phase)
  const complete = useSessions((state) => state.complete)
  const isEmpty = useSessions((state) => state.complete && state.sessions.size === 0 && state.unreadable.length === 0)
  const sidebarShown = useView((view) => view.sidebarShown)
  const open = useView((view) => view.open)
  useOpenOnStart(complete)

  const isPainted = phase === 'failed' || (phase === 'ready' && complete)
  const hasNothingToOpen = isPainted && (isEmpty || phase === 'failed')
  useLayoutEffect(() => {
    if (isPainted) markReady()
    if (hasNothingToOpen) markSettled()
  }, [isPainted, hasNothingToOpen])

  return (
    <CSPProvider disableStyleElements>
      <div className="app">
        {sidebarShown ? <Sidebar /> : null}
        <main className="content">
          {isEmpty || phase !== 'ready' ? null : <ImportBanner />}
          {phase === 'failed' ? <ReadFailure /> : null}
          {isEmpty ? <FirstStart /> : null}
          {phase === 'ready' && !isEmpty ? open === null ? <NoSession /> : <SessionView session_id={open} /> : null}
        </main>
      </div>
      <ForkDialog />
      <NewSessionDialog />
      <SettingsDialog />
      <UnreadableDialog />
      <ImportReportDialog />
      <PlacePopover />
      <ToastStack />
    </CSPProvider>
  )
}

/** The session that was open the last time, if it is still there; else the last that did something. */
function useOpenOnStart(complete: boolean): void {
  const hasSessions = useSessions((state) => state.sessions.size > 0)
  const isDecided = useRef(false)
  useEffect(() => {
    if (!complete || !hasSessions || isDecided.current) return
    isDecided.current = true
    void openFirst()
  }, [complete, hasSessions])
}

async function openFirst(): Promise<void> {
  const { sessions, listed } = useSessions.getState()
  const { open } = useView.getState()
  if (open !== null) {
    // A subagent has no row; whether it is still there only main knows.
    if (sessions.has(open) || (await treeline.navigator.details(open)).ok) {
      openSession(open)
      return
    }
  }
  const first = orderTree(sessions, listed.activity).mains[0]
  if (first) openSession(first.main.session_id)
}
