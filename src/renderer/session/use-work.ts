import { useEffect, useState } from 'react'
import type { SessionWork } from '../../shared/agent-view.ts'
import type { SessionDetails } from '../../shared/navigator-view.ts'
import { treeline } from '../bridge.ts'
import { useSettings } from '../state/settings-store.ts'

/**
 * What was done and spent in a session, which agent takes its next message, and what waits for it. Read again whenever its
 * details are; null until it is known. What is known stays while it is read again.
 */
export function useWork(session_id: string, details: SessionDetails | null): SessionWork | null {
  const [held, setHeld] = useState<{ readonly id: string; readonly work: SessionWork } | null>(null)
  // Who takes a message may be another then.
  const chosen = useSettings(({ view }) => view?.settings.preset)
  const isThere = details !== null
  useEffect(() => {
    if (!isThere) return undefined
    let stopped = false
    void treeline.navigator.work(session_id).then((answer) => {
      if (!stopped && answer.ok) setHeld({ id: session_id, work: answer.value })
    })
    return () => {
      stopped = true
    }
    // New details are news of the session.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies
  }, [session_id, isThere, details, chosen])
  return held?.id === session_id ? held.work : null
}
