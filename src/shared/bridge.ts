import type { PresetsView, SessionWork } from './agent-view.ts'
import type {
  ForkPreview,
  NavigatorPatch,
  NavigatorSnapshot,
  SessionDetails,
  TranscriptPage,
} from './navigator-view.ts'
import type { Result } from './result.ts'
import type { ToolError } from './tool-error.ts'
import type { SessionCreateResult, SessionSendResult, SessionStatusResult } from './tools.ts'

/**
 * The one table of what crosses between window and main process. `window.treeline` is this, built by the preload from
 * `CALLS` and `PUSHES`; main registers a handler for every call and parses its arguments.
 */

export interface ImportOffer {
  /** How many sessions of DSH were found, and where; absent if none. */
  readonly found: number
  readonly folders: readonly string[]
  /** True if the person has already answered or imported. */
  readonly answered: boolean
}

export interface ImportProgress {
  readonly done: number
  readonly total: number
  readonly sentence: string
}

export interface ImportReport {
  /** How many sessions were found, the failed ones included. */
  readonly found: number
  readonly imported: number
  readonly extended: number
  readonly unchanged: number
  readonly diverged: readonly { readonly session: string; readonly message: string }[]
  readonly failed: readonly { readonly session: string; readonly message: string }[]
  /** Imported as mains of their own, since their parents are not there or cannot have them; why is in each header too. */
  readonly legacyRoots: readonly { readonly session: string; readonly message: string }[]
  readonly cancelled: boolean
}

export interface Settings {
  readonly theme: 'system' | 'light' | 'dark'
  /** An editor's command; null: find one. */
  readonly editor: string | null
  /** Templates with `{home} {repository} {slug} {id}`; null: the default policy. */
  readonly worktreePath: string | null
  readonly worktreeBranch: string | null
  /** The agent that sessions get which name none; null: none, and their messages wait. Never the shell. */
  readonly preset: string | null
  /** How many agents work at the same time; the others wait in order. */
  readonly agentsAtOnce: number
  /** Tokens of a budget that a session keeps for itself when it gives parts of it to its children. */
  readonly budgetReserve: number
}

export interface SettingsView {
  readonly settings: Settings
  readonly editorsFound: readonly { readonly command: string; readonly label: string }[]
  /** The person's own home folder, which paths are shown relative to; the DSH home is in the snapshot. */
  readonly homeFolder: string
  /** Why settings.json could not be read, if so; the defaults hold then. */
  readonly problem?: string
}

/** What a row menu asks of the window. Everything else the menu does itself. */
export type MenuCommand = {
  readonly command: 'open' | 'rename' | 'fork' | 'fork-into-worktree'
  readonly session_id: string
}

/** Calls: name → arguments and answer. Answers are always Results: IPC loses an Error's name and code. */
export interface Calls {
  /** `budget`: tokens that the new session may spend. */
  session_create(
    request: unknown,
    caller?: { as?: string; call?: string; budget?: number },
  ): Promise<Result<SessionCreateResult>>
  session_status(request: unknown, caller?: { as?: string }): Promise<Result<SessionStatusResult>>
  session_send(request: unknown, caller?: { as?: string }): Promise<Result<SessionSendResult>>
  snapshot(): Promise<Result<NavigatorSnapshot>>
  details(session_id: string): Promise<Result<SessionDetails>>
  read_log(
    session_id: string,
    page: { before?: number; lines: number } | { after: number; lines: number },
  ): Promise<Result<TranscriptPage>>
  /** The whole of one line, however long, up to 1 MiB: raw JSON of an event that was cut. */
  read_line(session_id: string, offset: number): Promise<Result<string>>
  /** What is on screen and open: their changes come within 1 s, the rest within 5 s. */
  watch(visible: readonly string[], open: string | null): Promise<Result<null>>
  fork_preview(request: {
    session_id: string
    worktree: boolean
    prompt: string
    title?: string
  }): Promise<Result<ForkPreview>>
  /** Cancels the running session_create whose `call` this was. */
  cancel(call: string): Promise<Result<null>>
  rename(session_id: string, title: string): Promise<Result<null>>
  /** What was done and spent in a session and below it. */
  work(session_id: string): Promise<Result<SessionWork>>
  /** Ends the running turn; the agent stays. */
  interrupt(session_id: string): Promise<Result<null>>
  /** Ends the session's agent, and with it the running turn. */
  stop(session_id: string): Promise<Result<null>>
  /** Tries what waits in the inbox once more. */
  wake(session_id: string): Promise<Result<null>>
  /** Answers an agent's question. `invalid_request` if it is no longer asked. */
  answer(session_id: string, request_id: string, option_id: string): Promise<Result<null>>
  /** Takes a waiting message back. `invalid_request` if an agent has it already. */
  withdraw(session_id: string, message_id: string): Promise<Result<null>>
  /**
   * Asks for another limit. Always refused, with `budget_exceeded` and why: a limit is set once. An attempt to raise it is
   * recorded in the session's log.
   */
  change_budget(session_id: string, limit: number): Promise<Result<null>>
  presets(): Promise<Result<PresetsView>>
  /** Asks for a folder with the system's dialog; null if the person thought better of it. */
  choose_folder(start_at: string | null): Promise<Result<string | null>>
  show_session_menu(session_id: string, at: { x: number; y: number } | null): Promise<Result<null>>
  open_log(session_id: string): Promise<Result<null>>
  reveal_log(session_id: string): Promise<Result<null>>
  copy(session_id: string, what: 'session_id' | 'log_path' | 'cwd' | 'branch' | 'worktree'): Promise<Result<null>>
  copy_text(text: string): Promise<Result<null>>
  open_link(address: string): Promise<Result<null>>
  import_offer(): Promise<Result<ImportOffer>>
  /** `folder` null: the home's own; 'choose': ask with the system's dialog. */
  import_start(folder: null | 'choose'): Promise<Result<ImportReport>>
  import_cancel(): Promise<Result<null>>
  import_dismiss(): Promise<Result<null>>
  open_sample(): Promise<Result<null>>
  settings(): Promise<Result<SettingsView>>
  settings_change(change: Partial<Settings>): Promise<Result<SettingsView>>
}

/** Pushes: name → what the listener gets. */
export interface Pushes {
  patch: NavigatorPatch
  /** The open log grew, shrank or was replaced: read again from `size`. */
  log_changed: { readonly session_id: string; readonly size: number; readonly inode: number }
  /** The agent of the open session, or of one below it, began, ended or asks something. */
  live_changed: { readonly session_id: string }
  create_progress: { readonly call: string; readonly sentence: string }
  import_progress: ImportProgress
  menu_command: MenuCommand
  /** Something that went wrong outside any call, in words, with what to do. */
  notice: ToolError
}

export const TOOL_CALLS = ['session_create', 'session_status', 'session_send'] as const

export const NAVIGATOR_CALLS = [
  'snapshot',
  'details',
  'read_log',
  'read_line',
  'watch',
  'fork_preview',
  'cancel',
  'rename',
  'work',
  'interrupt',
  'stop',
  'wake',
  'answer',
  'withdraw',
  'change_budget',
  'presets',
  'choose_folder',
  'show_session_menu',
  'open_log',
  'reveal_log',
  'copy',
  'copy_text',
  'open_link',
  'import_offer',
  'import_start',
  'import_cancel',
  'import_dismiss',
  'open_sample',
  'settings',
  'settings_change',
] as const

export const PUSHES = [
  'patch',
  'log_changed',
  'live_changed',
  'create_progress',
  'import_progress',
  'menu_command',
  'notice',
] as const

type ToolCall = (typeof TOOL_CALLS)[number]
type NavigatorCall = (typeof NAVIGATOR_CALLS)[number]

/** The IPC channel of a call or a push: one for each, so that main registers a closed list. */
export function channelOf(name: keyof Calls | keyof Pushes): string {
  return `treeline:${name}`
}

/** `window.treeline`: the three tools, and the navigator (design §5). `on` returns the unsubscribe. */
export type TreelineBridge = Pick<Calls, ToolCall> & {
  readonly navigator: Pick<Calls, NavigatorCall> & {
    on<Push extends keyof Pushes>(push: Push, listener: (value: Pushes[Push]) => void): () => void
  }
}
