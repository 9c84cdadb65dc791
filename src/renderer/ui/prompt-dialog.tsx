import { Dialog } from '@base-ui/react/dialog'
import { CircleX } from 'lucide-react'
import type { ReactNode } from 'react'
import { StateMark } from './state-mark.tsx'
import { isComposing, isMod, shortcut } from './typing.ts'

interface PromptDraft {
  readonly prompt: string
  readonly title: string
}

interface Props {
  /** Title and lead, as dialog parts. */
  readonly head: ReactNode
  /** What the prompt is asked by. */
  readonly question: string
  readonly draft: PromptDraft
  readonly type: (change: Partial<PromptDraft>) => void
  /** What is done meanwhile; null while nothing is: then the fields can be changed. */
  readonly progress: string | null
  /** Stands beside the buttons while nothing is done. */
  readonly note: string | null
  /** Why it did not work; null where nothing did not, or it is said among `children`. */
  readonly failure: string | null
  readonly verb: string
  readonly canStart: boolean
  readonly start: () => void
  readonly canLeave: boolean
  /** Cancels what is done, or closes the dialog. */
  readonly leave: () => void
  /** What else is asked, below prompt and title. */
  readonly children: ReactNode
}

/** Asks for a prompt, a title and what a session needs besides, and starts it: by its button or Mod+Enter. */
export function PromptDialog(props: Props) {
  const { draft, type, progress, failure, verb, canStart, start, canLeave, leave } = props
  const isRunning = progress !== null
  return (
    <Dialog.Root
      open
      disablePointerDismissal
      onOpenChange={(open, details) => {
        if (open) return
        const { event } = details
        // Escape that ends a composition belongs to it (field fault F29).
        const isOfComposition = event instanceof KeyboardEvent && isComposing(event)
        // What is being done is cancelled first, and is still seen while it is.
        if (isOfComposition || isRunning || !canLeave) details.cancel()
        if (!isOfComposition && canLeave) leave()
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="dialog-veil" />
        <Dialog.Popup
          className="dialog"
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !isMod(event) || isComposing(event)) return
            event.preventDefault()
            if (canStart) start()
          }}
        >
          <div className="dialog-body">
            {props.head}
            <label className="field">
              <span className="field-label">{props.question}</span>
              <textarea
                className="input dialog-prompt"
                rows={3}
                value={draft.prompt}
                readOnly={isRunning}
                onChange={(event) => {
                  type({ prompt: event.currentTarget.value })
                }}
              />
            </label>
            <label className="field">
              <span className="field-label">Title</span>
              <input
                className="input"
                placeholder="Taken from the prompt"
                value={draft.title}
                readOnly={isRunning}
                onChange={(event) => {
                  type({ title: event.currentTarget.value })
                }}
              />
            </label>
            {props.children}
            {failure === null ? null : (
              <div className="alert" role="alert">
                <CircleX size={14} aria-hidden />
                <p>{failure}</p>
              </div>
            )}
          </div>
          <div className="dialog-foot">
            <p className="dialog-foot-note" role="status">
              {isRunning ? (
                <span className="dialog-progress">
                  <StateMark mark="running" />
                  {progress}
                </span>
              ) : (
                props.note
              )}
            </p>
            <button type="button" className="button" disabled={!canLeave} onClick={leave}>
              Cancel
            </button>
            <button type="button" className="button button-primary" disabled={!canStart} onClick={start}>
              {verb} <kbd aria-hidden>{shortcut({ mac: '⌘↵', other: 'Ctrl ↵' })}</kbd>
            </button>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
