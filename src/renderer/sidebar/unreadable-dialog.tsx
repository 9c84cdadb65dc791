import { Copy } from 'lucide-react'
import { useMemo } from 'react'
import { copyText } from '../state/actions.ts'
import { useSessions } from '../state/session-store.ts'
import { useShortPath } from '../state/settings-store.ts'
import { closeDialog, openSession, useView } from '../state/view-store.ts'
import { PlainDialog } from '../ui/plain-dialog.tsx'
import { sessionName, shortId } from '../ui/title.ts'
import './unreadable.css'

interface Odd {
  readonly id: string
  readonly name: string
  readonly path: string | undefined
  readonly message: string
  readonly hasRow: boolean
}

/** Every session that is odd, and why; those with a row can be opened from here. */
export function UnreadableDialog() {
  const isOpen = useView((view) => view.dialog === 'unreadable')
  return (
    <PlainDialog
      open={isOpen}
      close={closeDialog}
      title="Sessions that cannot be read"
      lead="Their files are left as they are. Everything around them works."
    >
      <OddSessions />
    </PlainDialog>
  )
}

function OddSessions() {
  const sessions = useSessions((state) => state.sessions)
  const unreadable = useSessions((state) => state.unreadable)
  const odd = useMemo(() => {
    const rows: Odd[] = []
    for (const session of sessions.values()) {
      const { problem } = session
      if (problem)
        rows.push({
          id: session.session_id,
          name: sessionName(session),
          path: problem.path,
          message: problem.message,
          hasRow: true,
        })
    }
    for (const { session_id, path, message } of unreadable)
      rows.push({ id: session_id, name: `Subagent ${shortId(session_id)}`, path, message, hasRow: false })
    return rows
  }, [sessions, unreadable])
  return (
    <ul className="odd-sessions">
      {odd.map((session) => (
        <li key={session.id}>
          {session.hasRow ? (
            <button
              type="button"
              className="title odd-name"
              onClick={() => {
                closeDialog()
                openSession(session.id)
              }}
            >
              <bdi>{session.name}</bdi>
            </button>
          ) : (
            <bdi className="title odd-name">{session.name}</bdi>
          )}
          <p className="selectable">{session.message}</p>
          {session.path === undefined ? null : <OddPath path={session.path} />}
        </li>
      ))}
    </ul>
  )
}

function OddPath({ path }: { readonly path: string }) {
  return (
    <p className="odd-path">
      <span className="mono selectable">{useShortPath(path)}</span>
      <button
        type="button"
        className="icon-button"
        aria-label="Copy the path"
        title="Copy the path"
        onClick={() => void copyText(path, 'Path copied.')}
      >
        <Copy size={13} />
      </button>
    </p>
  )
}
