import { Dialog } from '@base-ui/react/dialog'
import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import type { PresetsView } from '../../shared/agent-view.ts'
import { treeline } from '../bridge.ts'
import { useSessions } from '../state/session-store.ts'
import { say } from '../state/toasts.ts'
import { closeDialog, openAndReveal, useView } from '../state/view-store.ts'
import { grouped } from '../ui/numbers.ts'
import { PromptDialog } from '../ui/prompt-dialog.tsx'
import {
  agentShown,
  budgetFault,
  EMPTY_DRAFT,
  likelyFolder,
  modelFault,
  type NewSessionDraft,
} from './new-session-draft.ts'
import { AgentField, CheckedField } from './new-session-fields.tsx'
import { useCreation } from './use-creation.ts'
import { usePresets } from './use-presets.ts'
import './new-session.css'

/** What was typed, kept until a session is made of it: closing the dialog or a failure loses nothing. */
let kept: NewSessionDraft | undefined

/** Asks what a new main session should do, where, and with which agent, and makes it. */
export function NewSessionDialog() {
  const isOpen = useView((view) => view.dialog === 'new-session')
  return isOpen ? <OpenDialog /> : null
}

function firstDraft(): NewSessionDraft {
  if (kept) return kept
  const { sessions } = useSessions.getState()
  const { openRow } = useView.getState()
  const open = openRow === null ? undefined : sessions.get(openRow)
  return { ...EMPTY_DRAFT, folder: likelyFolder(open, sessions.values()) }
}

function OpenDialog() {
  const [draft, setDraft] = useState(firstDraft)
  const presets = usePresets()
  const creation = useCreation((result) => {
    kept = undefined
    closeDialog()
    openAndReveal(result.session_id)
  })
  const { isRunning } = creation
  const agent = agentShown(draft, presets)
  const takesModel = agent?.kind === 'acp'
  const isSound = budgetFault(draft.budget) === undefined && (!takesModel || modelFault(draft.model) === undefined)
  const canCreate =
    !isRunning && presets !== null && draft.prompt.trim() !== '' && draft.folder.trim() !== '' && isSound

  const type = (change: Partial<NewSessionDraft>): void => {
    const next = { ...draft, ...change }
    kept = next
    setDraft(next)
  }
  const create = (): void => creation.start(takesModel ? draft : { ...draft, model: '' }, agent?.id ?? '')
  const chooseFolder = async (): Promise<void> => {
    const answer = await treeline.navigator.choose_folder(draft.folder.trim() === '' ? null : draft.folder.trim())
    if (!answer.ok) say('failed', answer.error.message)
    else if (answer.value !== null) type({ folder: answer.value })
  }

  return (
    <PromptDialog
      head={<Dialog.Title className="dialog-title">New session</Dialog.Title>}
      question="What should be done?"
      draft={draft}
      type={type}
      progress={isRunning ? 'Creating…' : null}
      note={whatHappens(presets, agent)}
      failure={creation.failure}
      verb="Create"
      canStart={canCreate}
      start={create}
      canLeave={!isRunning}
      leave={closeDialog}
    >
      <div className="field">
        <label className="field-label" htmlFor="new-folder">
          Folder
        </label>
        <div className="new-folder">
          <input
            id="new-folder"
            className="input mono"
            placeholder="The folder to work in"
            spellCheck={false}
            value={draft.folder}
            readOnly={isRunning}
            onChange={(event) => {
              type({ folder: event.currentTarget.value })
            }}
          />
          <button type="button" className="button" disabled={isRunning} onClick={() => void chooseFolder()}>
            Choose…
          </button>
        </div>
      </div>
      <div className="new-pair">
        <AgentField draft={draft} presets={presets} isRunning={isRunning} type={type} />
        {takesModel ? (
          <CheckedField
            label="Model"
            placeholder={agent.model ?? 'The agent’s own'}
            value={draft.model}
            fault={modelFault(draft.model)}
            isRunning={isRunning}
            onType={(model) => {
              type({ model })
            }}
          />
        ) : null}
        <CheckedField
          label="Budget, in tokens"
          placeholder={agent?.budget !== undefined ? grouped(agent.budget) : 'No limit'}
          value={draft.budget}
          fault={budgetFault(draft.budget)}
          isRunning={isRunning}
          isNumber
          onType={(budget) => {
            type({ budget: budget.trim() })
          }}
        />
      </div>
      <Cautions sentences={presets?.problems ?? []} />
    </PromptDialog>
  )
}

function Cautions({ sentences }: { readonly sentences: readonly string[] }) {
  return sentences.map((sentence) => (
    <p key={sentence} className="caution">
      <TriangleAlert size={14} aria-hidden />
      <span>{sentence}</span>
    </p>
  ))
}

function whatHappens(presets: PresetsView | null, agent: ReturnType<typeof agentShown>): string {
  if (presets === null) return ''
  if (agent === undefined) return 'The prompt waits until an agent is chosen in settings.'
  return agent.kind === 'shell' ? 'The prompt is run as a command in the folder.' : `${agent.label} begins at once.`
}
