import { ArrowUp, Square } from 'lucide-react'
import { useState } from 'react'
import type { SessionWork } from '../../shared/agent-view.ts'
import type { SessionDetails, SessionSummary } from '../../shared/navigator-view.ts'
import { senderOf, sendMessage, startWaiting, stopSession } from '../state/actions.ts'
import { useView } from '../state/view-store.ts'
import { isComposing } from '../ui/typing.ts'
import { isBlocked, isBusy, standingOf, whoTakesIt, type Standing } from './composer-words.ts'
import { InboxControl } from './inbox-control.tsx'

/** What was typed for each session: it stays with that session when another is shown (field fault F03). */
const drafts = new Map<string, string>()

interface Props {
  readonly summary: SessionSummary
  readonly details: SessionDetails | null
  readonly work: SessionWork | null
}

/** Says something to the open session, shows what waits for it, and stops it. */
export function Composer({ summary, details, work }: Props) {
  const { session_id } = summary
  const [text, setText] = useState(drafts.get(session_id) ?? '')
  const [isSending, setSending] = useState(false)
  const blocked = isBlocked(summary)
  const busy = isBusy(summary)
  const standing = standingOf(summary, details, work)

  const type = (typed: string): void => {
    drafts.set(session_id, typed)
    setText(typed)
  }

  const send = async (): Promise<void> => {
    if (isSending || text.trim() === '') return
    setSending(true)
    const isAccepted = await sendMessage(session_id, senderOf(summary), text)
    setSending(false)
    if (isAccepted) type('')
  }

  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      {standing === null ? null : <StandingNote session_id={session_id} standing={standing} />}
      <div className="composer-box" data-blocked={blocked || undefined}>
        <textarea
          aria-label="Message this session"
          aria-describedby="composer-note"
          placeholder={blocked ? 'This session cannot take messages' : 'Message this session'}
          rows={1}
          value={text}
          disabled={blocked}
          readOnly={isSending}
          onChange={(event) => {
            type(event.currentTarget.value)
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || isComposing(event)) return
            event.preventDefault()
            void send()
          }}
        />
        <div className="composer-tools">
          {work && work.waiting.length > 0 ? <InboxControl session_id={session_id} waiting={work.waiting} /> : null}
          <span id="composer-note" className="small composer-note title">
            {whoTakesIt(summary, work)}
          </span>
          {busy ? <StopButton key={session_id} summary={summary} /> : null}
          {busy && text.trim() === '' ? null : (
            <button
              type="submit"
              className="composer-send"
              aria-label="Send"
              title="Send (Enter)"
              disabled={blocked || isSending || text.trim() === ''}
            >
              <ArrowUp size={16} />
            </button>
          )}
        </div>
      </div>
    </form>
  )
}

function StopButton({ summary }: { readonly summary: SessionSummary }) {
  const { session_id, queued } = summary
  const [isStopping, setStopping] = useState(false)
  const stop = async (): Promise<void> => {
    setStopping(true)
    await stopSession(session_id, queued === true)
    setStopping(false)
  }
  return (
    <button type="button" className="button composer-stop" disabled={isStopping} onClick={() => void stop()}>
      <Square size={11} fill="currentColor" aria-hidden />
      {isStopping ? 'Stopping…' : 'Stop'}
    </button>
  )
}

const WAYS = { 'choose-agent': 'Choose an agent…', start: 'Start', 'try-again': 'Try again' } as const

/** Why what waits is not being worked on, with the way on. */
function StandingNote({ session_id, standing }: { readonly session_id: string; readonly standing: Standing }) {
  const { words, way } = standing
  return (
    <p className="composer-standing small">
      <span className="selectable">{words}</span>
      {way === undefined ? null : (
        <button
          type="button"
          className="link"
          onClick={() => {
            if (way === 'choose-agent') useView.setState({ dialog: 'settings' })
            else void startWaiting(session_id)
          }}
        >
          {WAYS[way]}
        </button>
      )}
    </p>
  )
}
