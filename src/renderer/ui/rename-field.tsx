import { useRef } from 'react'
import { renameSession } from '../state/actions.ts'
import { useView } from '../state/view-store.ts'
import { isComposing } from './typing.ts'

/** The title as a field, in its place: Enter or leaving it keeps what was typed, Escape does not. */
export function RenameField({ session_id, title }: { readonly session_id: string; readonly title: string }) {
  const isDone = useRef(false)
  const finish = (typed: string | null): void => {
    if (isDone.current) return
    isDone.current = true
    if (typed === null) useView.setState({ renaming: null })
    else void renameSession(session_id, typed)
  }
  return (
    <input
      className="rename-field"
      aria-label="New title"
      defaultValue={title}
      spellCheck={false}
      ref={(field) => {
        if (!field || document.activeElement === field) return
        field.focus()
        // Backwards, so that the beginning of a long title stays in view.
        field.setSelectionRange(0, field.value.length, 'backward')
      }}
      onClick={(event) => {
        event.stopPropagation()
      }}
      onBlur={(event) => {
        finish(event.currentTarget.value)
      }}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (isComposing(event)) return
        if (event.key === 'Enter') finish(event.currentTarget.value)
        else if (event.key === 'Escape') finish(null)
        else return
        event.preventDefault()
      }}
    />
  )
}
