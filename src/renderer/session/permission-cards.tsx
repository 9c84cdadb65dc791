import { useState } from 'react'
import type { LiveState, PermissionAsked } from '../../shared/bridge.ts'
import { treeline } from '../bridge.ts'
import { say } from '../state/toasts.ts'
import { StateMark } from '../ui/state-mark.tsx'
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
  const first = defaultOption(request)
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
        {ordered(request, first).map(({ id, label }) => (
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

/** The one that binds least: this once, never for good; where there is no such, no. */
function defaultOption({ options }: PermissionAsked): string | undefined {
  return (options.find(({ kind }) => kind === 'allow') ?? options.find(({ kind }) => kind === 'reject'))?.id
}

/** The default stands last, at the edge, as in dialogs. */
function ordered({ options }: PermissionAsked, first: string | undefined): PermissionAsked['options'] {
  const others = options.filter(({ id }) => id !== first)
  const rank = { reject: 0, other: 1, allow_always: 2, allow: 3 } as const
  return [...others.toSorted((a, b) => rank[a.kind] - rank[b.kind]), ...options.filter(({ id }) => id === first)]
}
