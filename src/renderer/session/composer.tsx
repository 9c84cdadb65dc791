import { ArrowUp } from 'lucide-react'
import { useState } from 'react'
import type { SessionSummary } from '../../shared/bridge.ts'
import { treeline } from '../bridge.ts'
import { say } from '../state/toasts.ts'
import { isComposing } from '../ui/typing.ts'

/** What was typed for each session: it stays with that session when another is shown (field fault F03). */
const drafts = new Map<string, string>()

/** Says something to the open session. No agent runs in this version, so it says where the message goes. */
export function Composer({ summary }: { readonly summary: SessionSummary }) {
  const { session_id, parent_session_id } = summary
  const [text, setText] = useState(drafts.get(session_id) ?? '')
  const [isSending, setSending] = useState(false)
  const blocked = summary.problem !== undefined || summary.status === 'missing'

  const type = (typed: string): void => {
    drafts.set(session_id, typed)
    setText(typed)
  }

  const send = async (): Promise<void> => {
    if (isSending || text.trim() === '') return
    setSending(true)
    const answer = await treeline.session_send(
      { session_id, message: text },
      summary.kind === 'main' || parent_session_id === undefined ? undefined : { as: parent_session_id },
    )
    setSending(false)
    if (answer.ok) type('')
    else say('failed', answer.error.message)
  }

  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
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
        <span id="composer-note" className="small composer-note">
          {blocked ? '' : 'Waits in the inbox: no agent runs in this version'}
        </span>
        <button
          type="submit"
          className="composer-send"
          aria-label="Send"
          title="Send (Enter)"
          disabled={blocked || isSending || text.trim() === ''}
        >
          <ArrowUp size={16} />
        </button>
      </div>
    </form>
  )
}
