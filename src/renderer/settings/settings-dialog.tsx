import { ChevronDown, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import type { Settings, SettingsView } from '../../shared/bridge.ts'
import { startImport, useImport } from '../first-start/import-store.ts'
import { usePresets } from '../new-session/use-presets.ts'
import { changeSettings, useSettings } from '../state/settings-store.ts'
import { say } from '../state/toasts.ts'
import { closeDialog, useView } from '../state/view-store.ts'
import { PlainDialog } from '../ui/plain-dialog.tsx'
import { CommitField, TypedSetting } from './typed-setting.tsx'
import './settings.css'

const THEMES = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const

/** Few settings, each in force as soon as it is changed. */
export function SettingsDialog() {
  const isOpen = useView((view) => view.dialog === 'settings')
  const view = useSettings((state) => state.view)
  return (
    <PlainDialog open={isOpen} close={closeDialog} title="Settings">
      {view?.problem === undefined ? null : (
        <p className="caution">
          <TriangleAlert size={14} aria-hidden />
          <span>{view.problem}</span>
        </p>
      )}
      {view ? <Fields view={view} /> : null}
    </PlainDialog>
  )
}

/** Changes settings that no field is about; says why not where the change was made. */
async function change(next: Partial<Settings>): Promise<void> {
  const error = await changeSettings(next)
  if (error) say('failed', error.message)
}

function importFrom(folder: null | 'choose'): void {
  closeDialog()
  void startImport(folder)
}

function Fields({ view }: { readonly view: SettingsView }) {
  const { settings } = view
  return (
    <>
      <fieldset className="field fork-place">
        <legend className="field-label">Theme</legend>
        <div className="segments">
          {THEMES.map(([theme, words]) => (
            <label key={theme} className="segment">
              <input
                type="radio"
                name="theme"
                checked={settings.theme === theme}
                onChange={() => void change({ theme })}
              />
              {words}
            </label>
          ))}
        </div>
      </fieldset>
      <AgentField chosen={settings.preset} />
      <TypedSetting
        label="Agents that work at the same time"
        value={String(settings.agentsAtOnce)}
        hint="The others wait in order."
        changeOf={(typed) => ({ agentsAtOnce: countIn(typed) })}
      />
      <TypedSetting
        label="Reserve of a budget, in tokens"
        value={String(settings.budgetReserve)}
        hint="A session keeps so much for itself when it gives parts of its budget to its children."
        changeOf={(typed) => ({ budgetReserve: countIn(typed) })}
      />
      <EditorField view={view} />
      <TypedSetting
        label="Worktree folders"
        value={settings.worktreePath ?? ''}
        placeholder="{home}/worktrees/{repository}/{slug}-{id}"
        changeOf={(typed) => ({ worktreePath: typed === '' ? null : typed })}
      />
      <TypedSetting
        label="Worktree branches"
        value={settings.worktreeBranch ?? ''}
        placeholder="treeline/{slug}-{id}"
        changeOf={(typed) => ({ worktreeBranch: typed === '' ? null : typed })}
      />
      <ImportField />
    </>
  )
}

/** Who takes the messages of sessions that name no agent. The shell is not offered: such a message is no command. */
function AgentField({ chosen }: { readonly chosen: string | null }) {
  const view = usePresets()
  const agents = view?.presets.filter(({ kind }) => kind !== 'shell') ?? []
  const isGone = chosen !== null && view !== null && !agents.some(({ id }) => id === chosen)
  return (
    <div className="field">
      <label className="field-label" htmlFor="agent">
        Agent for sessions that name none
      </label>
      <div className="select">
        <select
          id="agent"
          className="input"
          disabled={view === null}
          value={chosen ?? ''}
          onChange={(event) => {
            const { value } = event.currentTarget
            void change({ preset: value === '' ? null : value })
          }}
        >
          <option value="">None: their messages wait</option>
          {isGone ? <option value={chosen}>{chosen} (not there now)</option> : null}
          {agents.map(({ id, label, source }) => (
            <option key={id} value={id}>
              {source === 'found' ? `${label}, found on this computer` : label}
            </option>
          ))}
        </select>
        <ChevronDown size={14} aria-hidden />
      </div>
      {view !== null && agents.length === 0 ? (
        <p className="small">
          No coding agent that speaks ACP was found. Install one, or describe one in presets.json.
        </p>
      ) : null}
    </div>
  )
}

const OTHER = 'other'

function EditorField({ view }: { readonly view: SettingsView }) {
  const { editor } = view.settings
  const isFound = editor !== null && view.editorsFound.some(({ command }) => command === editor)
  const [isOther, setOther] = useState(editor !== null && !isFound)
  return (
    <div className="field">
      <label className="field-label" htmlFor="editor">
        Editor for logs
      </label>
      <div className="select">
        <select
          id="editor"
          className="input"
          value={isOther ? OTHER : (editor ?? '')}
          onChange={(event) => {
            const { value } = event.currentTarget
            setOther(value === OTHER)
            if (value !== OTHER) void change({ editor: value === '' ? null : value })
          }}
        >
          <option value="">
            {view.editorsFound[0] ? `The first found: ${view.editorsFound[0].label}` : 'The system’s own'}
          </option>
          {view.editorsFound.map(({ command, label }) => (
            <option key={command} value={command}>
              {label}
            </option>
          ))}
          <option value={OTHER}>Another command…</option>
        </select>
        <ChevronDown size={14} aria-hidden />
      </div>
      {isOther ? (
        <CommitField
          label="Editor command"
          value={isFound ? '' : (editor ?? '')}
          placeholder="code, subl, /usr/bin/gvim"
          commit={async (command) => {
            if (command !== '') await change({ editor: command })
          }}
        />
      ) : null}
    </div>
  )
}

function ImportField() {
  const isRunning = useImport((state) => state.isRunning)
  return (
    <div className="field">
      <span className="field-label">Sessions of DeepSeek Harness</span>
      <div className="settings-buttons">
        <button
          type="button"
          className="button"
          disabled={isRunning}
          onClick={() => {
            importFrom(null)
          }}
        >
          Import from this home
        </button>
        <button
          type="button"
          className="button"
          disabled={isRunning}
          onClick={() => {
            importFrom('choose')
          }}
        >
          Import from a folder…
        </button>
      </div>
    </div>
  )
}

/** What is no number is refused by the same rule as a number that will not do. */
function countIn(typed: string): number {
  return typed === '' ? Number.NaN : Number(typed)
}
