import { useState } from 'react'
import type { Settings } from '../../shared/bridge.ts'
import { changeSettings } from '../state/settings-store.ts'
import { isComposing } from '../ui/typing.ts'

/** A setting that is typed; what it cannot be is said below it. */
export function TypedSetting(props: {
  readonly label: string
  readonly value: string
  readonly placeholder?: string
  readonly hint?: string
  readonly changeOf: (typed: string) => Partial<Settings>
}) {
  const [error, setError] = useState<string | null>(null)
  return (
    <div className="field">
      <span className="field-label" aria-hidden>
        {props.label}
      </span>
      <CommitField
        label={props.label}
        value={props.value}
        placeholder={props.placeholder ?? ''}
        isBad={error !== null}
        commit={async (typed) => {
          const failure = await changeSettings(props.changeOf(typed))
          setError(failure?.message ?? null)
        }}
      />
      {error === null ? null : (
        <p className="small settings-error" role="alert">
          {error}
        </p>
      )}
      {error !== null || props.hint === undefined ? null : <p className="small">{props.hint}</p>}
    </div>
  )
}

/** A field whose text counts when it is left or confirmed. */
export function CommitField(props: {
  readonly label: string
  readonly value: string
  readonly placeholder: string
  readonly isBad?: boolean
  readonly commit: (typed: string) => Promise<void>
}) {
  return (
    <input
      className="input mono"
      aria-label={props.label}
      aria-invalid={props.isBad}
      placeholder={props.placeholder}
      defaultValue={props.value}
      spellCheck={false}
      onBlur={(event) => {
        const typed = event.currentTarget.value.trim()
        if (typed !== props.value) void props.commit(typed)
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && !isComposing(event)) event.currentTarget.blur()
      }}
    />
  )
}
