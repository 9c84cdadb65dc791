import { Dialog } from '@base-ui/react/dialog'
import { CircleX, Folder, GitBranch } from 'lucide-react'
import { useState } from 'react'
import { useSessions } from '../state/session-store.ts'
import { closeForkDialog, openAndReveal, useView } from '../state/view-store.ts'
import { StateMark } from '../ui/state-mark.tsx'
import { cutTitle, sessionName } from '../ui/title.ts'
import { isComposing, isMod, shortcut } from '../ui/typing.ts'
import { ForkFacts } from './fork-facts.tsx'
import { useFork } from './use-fork.ts'
import { usePreview } from './use-preview.ts'
import './fork.css'

/** What was typed for a parent, kept until its fork is made: closing the dialog or a failure loses nothing. */
const drafts = new Map<string, { prompt: string; title: string }>()

/** Asks what a fork should do and where it works, shows what will be made, and makes it. */
export function ForkDialog() {
  const forking = useView((view) => view.forking)
  return forking ? (
    <OpenForkDialog key={forking.session_id} parent={forking.session_id} first={forking.worktree} />
  ) : null
}

function OpenForkDialog({ parent, first }: { readonly parent: string; readonly first: boolean }) {
  const session = useSessions((state) => state.sessions.get(parent))
  const [draft, setDraft] = useState(() => drafts.get(parent) ?? { prompt: '', title: '' })
  const [worktree, setWorktree] = useState(first)
  const state = usePreview(parent, worktree, draft.prompt, draft.title)
  const fork = useFork((result) => {
    drafts.delete(parent)
    closeForkDialog()
    openAndReveal(result.session_id, parent)
  })
  const isRunning = fork.progress !== null
  const canFork = !isRunning && draft.prompt.trim() !== ''

  const type = (change: Partial<typeof draft>): void => {
    const next = { ...draft, ...change }
    drafts.set(parent, next)
    setDraft(next)
  }
  const start = (): void => {
    if (canFork) fork.start({ parent, worktree, ...draft })
  }
  const place = (inWorktree: boolean): void => {
    setWorktree(inWorktree)
    fork.forget()
  }
  const { preview } = state
  // What the dialog has said already is said again in the same place, as the answer.
  const isSaid = fork.failure !== null && fork.failure.code === state.error?.code
  return (
    <Dialog.Root
      open
      disablePointerDismissal
      onOpenChange={(open, details) => {
        if (open) return
        const { event } = details
        // Escape that ends a composition belongs to it (field fault F29).
        if (event instanceof KeyboardEvent && isComposing(event)) details.cancel()
        else if (isRunning) {
          details.cancel()
          fork.cancel()
        } else closeForkDialog()
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="dialog-veil" />
        <Dialog.Popup
          className="dialog"
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !isMod(event) || isComposing(event)) return
            event.preventDefault()
            start()
          }}
        >
          <div className="dialog-body">
            <div>
              <Dialog.Title className="dialog-title">
                {worktree ? 'Fork into a new worktree' : 'Fork session'}
              </Dialog.Title>
              <Dialog.Description className="dialog-lead fork-lead">
                <span>from </span>
                <bdi className="title fork-from">{session ? cutTitle(sessionName(session)) : 'this session'}</bdi>
                {preview?.step === undefined ? null : (
                  <span>
                    , after step {preview.step}
                    {preview.turn === undefined ? '' : ` of turn ${preview.turn}`}
                  </span>
                )}
              </Dialog.Description>
            </div>
            <label className="field">
              <span className="field-label">What should the fork do?</span>
              <textarea
                className="input fork-prompt"
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
            <fieldset className="field fork-place" disabled={isRunning}>
              <legend className="field-label">Works in</legend>
              <div className="segments">
                <label className="segment">
                  <input
                    type="radio"
                    name="place"
                    checked={!worktree}
                    onChange={() => {
                      place(false)
                    }}
                  />
                  <Folder size={14} aria-hidden />
                  The same folder
                </label>
                <label className="segment">
                  <input
                    type="radio"
                    name="place"
                    checked={worktree}
                    onChange={() => {
                      place(true)
                    }}
                  />
                  <GitBranch size={14} aria-hidden />A new worktree
                </label>
              </div>
            </fieldset>
            {fork.failure !== null && state.error !== null && !isSaid ? null : (
              <ForkFacts state={state} worktree={worktree} isAnswer={isSaid} />
            )}
            {fork.failure === null || isSaid ? null : (
              <div className="alert" role="alert">
                <CircleX size={14} aria-hidden />
                <p>{fork.failure.message}</p>
              </div>
            )}
          </div>
          <div className="dialog-foot">
            <p className="dialog-foot-note" role="status">
              {isRunning ? (
                <span className="fork-progress">
                  <StateMark mark="running" />
                  {fork.isCancelling ? 'Cancelling…' : fork.progress}
                </span>
              ) : preview?.leavesOutOpenStep ? (
                'The step in progress is not copied.'
              ) : null}
            </p>
            <button
              type="button"
              className="button"
              disabled={fork.isCancelling}
              onClick={() => {
                if (isRunning) fork.cancel()
                else closeForkDialog()
              }}
            >
              Cancel
            </button>
            <button type="button" className="button button-primary" disabled={!canFork} onClick={start}>
              Fork <kbd aria-hidden>{shortcut({ mac: '⌘↵', other: 'Ctrl ↵' })}</kbd>
            </button>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
