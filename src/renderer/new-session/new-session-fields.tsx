import { ChevronDown } from 'lucide-react'
import { useId, useState } from 'react'
import type { PresetsView } from '../../shared/agent-view.ts'
import { presetShown, type NewSessionDraft } from './new-session-draft.ts'

/** Which agent works on the session. */
export function AgentField(props: {
  readonly draft: NewSessionDraft
  readonly presets: PresetsView | null
  readonly isRunning: boolean
  readonly type: (change: Partial<NewSessionDraft>) => void
}) {
  const { draft, presets, isRunning, type } = props
  return (
    <div className="field">
      <label className="field-label" htmlFor="new-agent">
        Agent
      </label>
      <div className="select">
        <select
          id="new-agent"
          className="input"
          disabled={isRunning || presets === null}
          value={presets === null ? '' : presetShown(draft, presets)}
          onChange={(event) => {
            type({ preset: event.currentTarget.value })
          }}
        >
          {/* One chosen in settings stands in wherever a request names none. */}
          {presets !== null &&
          presets.chosen !== null &&
          presetShown({ ...draft, preset: undefined }, presets) !== '' ? null : (
            <option value="">None for now</option>
          )}
          {presets?.presets.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
          {presets?.unusable?.map(({ id, label, why }) => (
            <option key={id} disabled>
              {label} ({why})
            </option>
          ))}
        </select>
        <ChevronDown size={14} aria-hidden />
      </div>
    </div>
  )
}

/** A field whose content can be wrong: said below it once it is left, so that nobody is corrected while typing. */
export function CheckedField(props: {
  readonly label: string
  readonly placeholder: string
  readonly value: string
  readonly fault: string | undefined
  readonly isRunning: boolean
  readonly isNumber?: boolean
  readonly onType: (typed: string) => void
}) {
  const { label, value, onType } = props
  const id = useId()
  const [isLeft, setLeft] = useState(value !== '')
  const fault = isLeft ? props.fault : undefined
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      <input
        id={id}
        className={props.isNumber ? 'input' : 'input mono'}
        inputMode={props.isNumber ? 'numeric' : undefined}
        placeholder={props.placeholder}
        spellCheck={false}
        aria-invalid={fault !== undefined}
        aria-describedby={fault === undefined ? undefined : `${id}-fault`}
        value={value}
        readOnly={props.isRunning}
        onBlur={() => {
          setLeft(value !== '')
        }}
        onChange={(event) => {
          onType(event.currentTarget.value)
        }}
      />
      {fault === undefined ? null : (
        <p id={`${id}-fault`} className="field-fault" role="alert">
          {fault}
        </p>
      )}
    </div>
  )
}
