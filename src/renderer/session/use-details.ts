import { useEffect, useState } from 'react'
import type { SessionDetails } from '../../shared/navigator-view.ts'
import type { ToolError } from '../../shared/tool-error.ts'
import { treeline } from '../bridge.ts'
import { useSessions } from '../state/session-store.ts'
import { showOpenRow } from '../state/view-store.ts'

export interface DetailsState {
  readonly details: SessionDetails | null
  readonly error: ToolError | null
}

const NOTHING: DetailsState = { details: null, error: null }

/** Growth comes in bursts; the head of the session may be this much behind its lines. */
const PAUSE = 250

/** The head of a session, read again when its row, its log or one of its subagents changes. */
export function useDetails(session_id: string): DetailsState {
  const [held, setHeld] = useState<{ readonly id: string; readonly state: DetailsState }>({ id: '', state: NOTHING })
  const summary = useSessions((state) => state.sessions.get(session_id))

  useEffect(() => {
    let stopped = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const read = async (): Promise<void> => {
      const answer = await treeline.navigator.details(session_id)
      if (stopped) return
      if (!answer.ok) {
        setHeld({ id: session_id, state: { details: null, error: answer.error } })
        return
      }
      setHeld({ id: session_id, state: { details: answer.value, error: null } })
      const { sessions } = useSessions.getState()
      const row = answer.value.breadcrumb.findLast((part) => sessions.has(part.session_id))
      if (row) showOpenRow(row.session_id)
    }
    const later = (): void => {
      clearTimeout(timer)
      timer = setTimeout(() => void read(), PAUSE)
    }
    void read()
    const stop = treeline.navigator.on('log_changed', (change) => {
      if (change.session_id === session_id) later()
    })
    // Asked for at once: a question or an end is what the person waits for.
    const stopLive = treeline.navigator.on('live_changed', (change) => {
      if (change.session_id === session_id) void read()
    })
    return () => {
      stopped = true
      clearTimeout(timer)
      stop()
      stopLive()
    }
    // A changed summary is a changed session: its details are read anew.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies
  }, [session_id, summary])

  return held.id === session_id ? held.state : NOTHING
}
