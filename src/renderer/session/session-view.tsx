import { useEffect } from 'react'
import { useSessions } from '../state/session-store.ts'
import { Transcript } from '../transcript/transcript.tsx'
import { cutTitle, sessionName } from '../ui/title.ts'
import { Composer } from './composer.tsx'
import { PermissionCards } from './permission-cards.tsx'
import { SessionHeader } from './session-header.tsx'
import { useDetails } from './use-details.ts'
import { useWork } from './use-work.ts'
import './session.css'

/** One session: what it is, what was said, and where to say more. */
export function SessionView({ session_id }: { readonly session_id: string }) {
  const { details, error } = useDetails(session_id)
  const listed = useSessions((state) => state.sessions.get(session_id))
  const work = useWork(session_id, details)
  // The row is told first what changes; a subagent has none.
  const summary = listed ?? details?.summary
  const name = summary && cutTitle(sessionName(summary), 120)
  useEffect(() => {
    document.title = name === undefined ? 'Treeline' : `${name} – Treeline`
  }, [name])
  return (
    <section className="session" aria-label="Session">
      <SessionHeader session_id={session_id} summary={summary} details={details} work={work} />
      <Transcript key={session_id} session_id={session_id} summary={summary} details={details} detailsError={error} />
      <PermissionCards session_id={session_id} requests={details?.live?.requests ?? []} />
      {summary ? (
        <Composer key={`composer ${session_id}`} summary={summary} details={details} work={work} />
      ) : (
        <div className="composer-space" />
      )}
    </section>
  )
}
