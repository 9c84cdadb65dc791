import type { PresetsView } from '../../shared/agent-view.ts'
import type { SessionSummary } from '../../shared/navigator-view.ts'
import type { ModelChoice } from '../../shared/tools.ts'
import { typedLimit } from '../session/budget-words.ts'

export interface NewSessionDraft {
  readonly folder: string
  /** A preset's id; '' for none; undefined while the person has not chosen. */
  readonly preset: string | undefined
  readonly prompt: string
  readonly title: string
  /** `provider/model`, as typed; '' for the agent's own. Only agents that speak ACP are told. */
  readonly model: string
  /** Tokens, as typed; '' for no limit. */
  readonly budget: string
}

export const EMPTY_DRAFT: NewSessionDraft = {
  folder: '',
  preset: undefined,
  prompt: '',
  title: '',
  model: '',
  budget: '',
}

/** Where a new session most likely works: where the open one does, its own worktree apart; else where the latest does. */
export function likelyFolder(open: SessionSummary | undefined, sessions: Iterable<SessionSummary>): string {
  const folder = folderOf(open)
  if (folder !== undefined) return folder
  let latest: SessionSummary | undefined
  for (const session of sessions) {
    if (folderOf(session) !== undefined && (session.updated_at ?? 0) >= (latest?.updated_at ?? 0)) latest = session
  }
  return folderOf(latest) ?? ''
}

/** A worktree belongs to its session, and a folder that is gone is no place to work. */
function folderOf(session: SessionSummary | undefined): string | undefined {
  if (session === undefined || session.warning !== undefined) return undefined
  if (session.worktree === undefined) return session.cwd
  return session.group.kind === 'repository' ? session.group.key : undefined
}

/** The agent shown as chosen: the person's choice, else the one in settings, else none. The shell is never guessed. */
export function presetShown(draft: NewSessionDraft, view: PresetsView): string {
  if (draft.preset !== undefined) return draft.preset
  const chosen = view.presets.find(({ id, kind }) => id === view.chosen && kind !== 'shell')
  return chosen?.id ?? ''
}

/** The agent that is shown as chosen; undefined for none. */
export function agentShown(
  draft: NewSessionDraft,
  view: PresetsView | null,
): PresetsView['presets'][number] | undefined {
  return view?.presets.find(({ id }) => id === presetShown(draft, view))
}

/** What is wrong with what was typed, as the person sees it beside the field; undefined if nothing is. */
export function budgetFault(budget: string): string | undefined {
  if (budget === '' || typedLimit(budget) !== undefined) return undefined
  return 'A whole number of tokens, or nothing.'
}

/** As {@link budgetFault}, for the model. */
export function modelFault(model: string): string | undefined {
  if (model.trim() === '' || typedModel(model) !== undefined) return undefined
  return 'Provider, slash, model, such as anthropic/claude-sonnet; or nothing.'
}

/** `provider/model`, where the model may have slashes of its own; undefined for anything else. */
export function typedModel(typed: string): ModelChoice | undefined {
  const [, provider, model] = /^([^\s/]+)\/(\S+)$/.exec(typed.trim()) ?? []
  return provider === undefined || model === undefined ? undefined : { provider, model }
}
