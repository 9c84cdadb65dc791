import { CircleX } from 'lucide-react'
import { loadSessions } from './state/connect.ts'
import { useSessions } from './state/session-store.ts'

/** Nothing is open. */
export function NoSession() {
  return (
    <div className="transcript-state no-session">
      <p>Choose a session at the left.</p>
    </div>
  )
}

/** Nothing could be read at all. */
export function ReadFailure() {
  const failure = useSessions((state) => state.failure)
  return (
    <div className="transcript-state no-session" role="alert">
      <CircleX size={24} strokeWidth={1.5} aria-hidden />
      <h2>The sessions cannot be read</h2>
      <p className="selectable">{failure?.message}</p>
      <div className="state-actions">
        <button type="button" className="button" onClick={() => void loadSessions()}>
          Try again
        </button>
      </div>
    </div>
  )
}
