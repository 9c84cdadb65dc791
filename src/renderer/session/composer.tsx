import { ArrowUp, Square } from 'lucide-react'
import { useState } from 'react'
import type { SessionDetails, SessionSummary, SessionWork } from '../../shared/bridge.ts'
import { senderOf, sendMessage, startWaiting, stopSession } from '../state/actions.ts'
import { useView } from '../state/view-store.ts'
import { isComposing } from '../ui/typing.ts'
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
  const blocked = summary.problem !== undefined || summary.status === 'missing'
  const isBusy = summary.status === 'running' || summary.queued === true

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
      {blocked ? null : <Standing summary={summary} details={details} work={work} />}
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
        {work && work.waiting.length > 0 ? <InboxControl session_id={session_id} waiting={work.waiting} /> : null}
        <span id="composer-note" className="small composer-note title">
          {blocked ? '' : note(isBusy, work)}
        </span>
        {isBusy ? <StopButton key={session_id} summary={summary} /> : null}
        {isBusy && text.trim() === '' ? null : (
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
    </form>
  )
}

/** What will become of a message. */
function note(isBusy: boolean, work: SessionWork | null): string {
  if (work?.agent === undefined) return ''
  return isBusy ? `${work.agent.label} takes it next` : `${work.agent.label} works on it`
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

/** Why what waits is not being worked on, with the way on. Nothing where all goes as it should. */
function Standing({ summary, details, work }: Props) {
  const { session_id } = summary
  if (work === null || summary.status === 'running') return null
  if (summary.queued)
    return <p className="composer-standing small">Waits until one of the running sessions has finished its turn.</p>
  const isWaiting = work.waiting.length > 0
  const again = (
    <button type="button" className="link" onClick={() => void startWaiting(session_id)}>
      {details?.trouble === undefined ? 'Start' : 'Try again'}
    </button>
  )
  if (work.agent === undefined) {
    return (
      <p className="composer-standing small">
        <span className="selectable">
          {(isWaiting ? work.no_agent : undefined) ?? 'No agent takes messages here yet: what you send waits.'}
        </span>
        <button
          type="button"
          className="link"
          onClick={() => {
            useView.setState({ dialog: 'settings' })
          }}
        >
          Choose an agent…
        </button>
      </p>
    )
  }
  if (!isWaiting) return null
  return (
    <p className="composer-standing small">
      <span className="selectable">{details?.trouble ?? 'What waits in the inbox has not been started.'}</span>
      {again}
    </p>
  )
}
