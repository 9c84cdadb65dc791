import type { PresetsView, SessionSummary } from '../../shared/bridge.ts'

export interface NewSessionDraft {
  readonly folder: string
  /** A preset's id; '' for none; undefined while the person has not chosen. */
  readonly preset: string | undefined
  readonly prompt: string
  readonly title: string
  /** Tokens, as typed; '' for no limit. */
  readonly budget: string
}

export const EMPTY_DRAFT: NewSessionDraft = { folder: '', preset: undefined, prompt: '', title: '', budget: '' }

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

/** What keeps a session from being made, as the person sees it beside the field; undefined if nothing does. */
export function budgetFault(budget: string): string | undefined {
  if (budget === '') return undefined
  const tokens = Number(budget)
  return Number.isSafeInteger(tokens) && tokens > 0 ? undefined : 'A whole number of tokens, or nothing for no limit.'
}
