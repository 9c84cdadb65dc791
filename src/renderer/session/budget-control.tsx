import { Popover } from '@base-ui/react/popover'
import { CircleX } from 'lucide-react'
import { useState } from 'react'
import type { BudgetView } from '../../shared/agent-view.ts'
import { treeline } from '../bridge.ts'
import { openSession } from '../state/view-store.ts'
import { grouped } from '../ui/numbers.ts'
import { fullTime } from '../ui/time.ts'
import { cleanTitle, cutTitle, shortId } from '../ui/title.ts'
import { isUsedUp, percentWords, sharedWords, spentShare, typedLimit } from './budget-words.ts'
import { tokenCount } from './work-words.ts'
import './budget.css'

interface Props {
  readonly session_id: string
  readonly budget: BudgetView
}

/** What is spent of the limit that holds, as a thin bar; a click shows the numbers, who shares it, and what was asked for. */
export function BudgetControl({ session_id, budget }: Props) {
  const words = `${tokenCount(budget.spent)} of ${tokenCount(budget.limit)}`
  return (
    <Popover.Root>
      <Popover.Trigger className="budget" aria-label={`Budget, ${words} tokens spent`} title="Budget, in tokens">
        <Bar budget={budget} />
        {words}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className="popup-layer" sideOffset={6} align="start" alignOffset={8} collisionPadding={8}>
          <Popover.Popup className="popup budget-popup">
            <Details session_id={session_id} budget={budget} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

function Bar({ budget }: { readonly budget: BudgetView }) {
  return (
    <span className="budget-bar" data-used-up={isUsedUp(budget) || undefined} aria-hidden>
      <span data-empty={budget.spent === 0 || undefined} style={{ width: `${spentShare(budget) * 100}%` }} />
    </span>
  )
}

function Details({ session_id, budget }: Props) {
  const { limit, spent, given, owner, rejected_raises } = budget
  const isOwn = owner.session_id === session_id
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Popover.Title className="budget-title">Budget</Popover.Title>
      <Bar budget={budget} />
      <dl className="facts budget-facts">
        <Fact label="Spent" tokens={spent} more={percentWords(budget)} />
        <Fact label="Left" tokens={Math.max(0, limit - spent)} />
        {given > 0 ? <Fact label="Given" tokens={given} more="to sessions with limits of their own" /> : null}
        <dt>Limit</dt>
        <dd>
          {grouped(limit)} tokens
          {isOwn && !isAsking ? (
            <button
              type="button"
              className="link budget-change"
              onClick={() => {
                setAsking(true)
              }}
            >
              Change…
            </button>
          ) : null}
        </dd>
      </dl>
      {isAsking ? <OtherLimit session_id={session_id} /> : null}
      <p className="small">
        {isOwn ? (
          sharedWords(budget)
        ) : (
          <>
            This session has no budget of its own. It draws on that of{' '}
            <button
              type="button"
              className="link"
              onClick={() => {
                openSession(owner.session_id)
              }}
            >
              {cutTitle(cleanTitle(owner.name) ?? `Session ${shortId(owner.session_id)}`, 60)}
            </button>
            .
          </>
        )}
      </p>
      {rejected_raises.length > 0 ? (
        <section aria-label="Refused raises" className="budget-raises">
          <h2 className="field-label">Refused raises</h2>
          <ul>
            {rejected_raises.map(({ asked, time }, index) => (
              <li key={index}>
                <span>to {grouped(asked)} tokens</span>
                <span className="small">{fullTime(time)}</span>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
    </>
  )
}

function Fact({ label, tokens, more }: { readonly label: string; readonly tokens: number; readonly more?: string }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>
        {grouped(tokens)} tokens{more === undefined ? null : <span className="small"> {more}</span>}
      </dd>
    </>
  )
}

/** Asks for another limit. Main decides, and says why not; an attempt to raise it stands in the log from then on. */
function OtherLimit({ session_id }: { readonly session_id: string }) {
  const [typed, setTyped] = useState('')
  const [isAsking, setAsking] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  const limit = typedLimit(typed)
  const ask = async (): Promise<void> => {
    if (limit === undefined || isAsking) return
    setAsking(true)
    setRefusal(null)
    const answer = await treeline.navigator.change_budget(session_id, limit)
    setAsking(false)
    setRefusal(answer.ok ? null : answer.error.message)
  }
  return (
    <>
      <form
        className="budget-form"
        onSubmit={(event) => {
          event.preventDefault()
          void ask()
        }}
      >
        <input
          className="input"
          aria-label="Another limit, in tokens"
          placeholder="Another limit, in tokens"
          inputMode="numeric"
          // Just asked for by a click.
          autoFocus
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value)
          }}
        />
        <button type="submit" className="button" disabled={limit === undefined || isAsking}>
          Change
        </button>
      </form>
      {refusal === null ? null : (
        <div className="alert" role="alert">
          <CircleX size={14} aria-hidden />
          <p>{refusal}</p>
        </div>
      )}
    </>
  )
}
