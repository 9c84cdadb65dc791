import { Dialog } from '@base-ui/react/dialog'
import { Folder, GitBranch } from 'lucide-react'
import { useState } from 'react'
import { useSessions } from '../state/session-store.ts'
import { closeForkDialog, openAndReveal, useView } from '../state/view-store.ts'
import { PromptDialog } from '../ui/prompt-dialog.tsx'
import { cutTitle, sessionName } from '../ui/title.ts'
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
    fork.start({ parent, worktree, ...draft })
  }
  const place = (inWorktree: boolean): void => {
    setWorktree(inWorktree)
    fork.forget()
  }
  const { preview } = state
  // What the dialog has said already is said again in the same place, as the answer.
  const isSaid = fork.failure !== null && fork.failure.code === state.error?.code
  return (
    <PromptDialog
      head={
        <div>
          <Dialog.Title className="dialog-title">{worktree ? 'Fork into a new worktree' : 'Fork session'}</Dialog.Title>
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
      }
      question="What should the fork do?"
      draft={draft}
      type={type}
      progress={fork.isCancelling ? 'Cancelling…' : fork.progress}
      note={preview?.leavesOutOpenStep ? 'The step in progress is not copied.' : null}
      failure={fork.failure === null || isSaid ? null : fork.failure.message}
      verb="Fork"
      canStart={canFork}
      start={start}
      canLeave={!fork.isCancelling}
      leave={() => {
        if (isRunning) fork.cancel()
        else closeForkDialog()
      }}
    >
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
    </PromptDialog>
  )
}
