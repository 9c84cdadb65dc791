import { useState } from 'react'
import type { LiveState, PermissionAsked } from '../../shared/agent-view.ts'
import { treeline } from '../bridge.ts'
import { say } from '../state/toasts.ts'
import { StateMark } from '../ui/state-mark.tsx'
import { permissionChoices } from './permission-choices.ts'
import './permission-cards.css'

interface Props {
  readonly session_id: string
  readonly requests: LiveState['requests']
}

/** What the session's agent asks, each with the agent's own choices. Nothing is answered by a key that was meant for typing. */
export function PermissionCards({ session_id, requests }: Props) {
  if (requests.length === 0) return null
  return (
    <div className="permissions" role="region" aria-label="The agent asks" aria-live="polite">
      {requests.map((request) => (
        <Card key={request.id} session_id={session_id} request={request} />
      ))}
    </div>
  )
}

function Card({ session_id, request }: { readonly session_id: string; readonly request: PermissionAsked }) {
  const [isAnswered, setAnswered] = useState(false)
  const answer = async (option: string): Promise<void> => {
    setAnswered(true)
    const answered = await treeline.navigator.answer(session_id, request.id, option)
    if (answered.ok) return
    setAnswered(false)
    say('failed', answered.error.message)
  }
  const { options, first } = permissionChoices(request.options)
  return (
    <div className="permission" role="group" aria-label={request.title}>
      <StateMark mark="needs" label="Needs you" />
      <div className="permission-words selectable">
        <p className="permission-title">{request.title}</p>
        {request.detail === undefined || request.detail === request.title ? null : (
          <p className="permission-detail mono">{request.detail}</p>
        )}
      </div>
      <div className="permission-options">
        {options.map(({ id, label }) => (
          <button
            key={id}
            type="button"
            className={id === first ? 'button button-primary' : 'button'}
            disabled={isAnswered}
            onClick={() => void answer(id)}
          >
            {label}
          </button>
        ))}
      </div>
    </div>
  )
}
