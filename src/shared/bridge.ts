import type { Result } from './result.ts'
import type { LogHeader, SessionEvent, WorktreeRecord } from './session-event.ts'
import type { ToolError } from './tool-error.ts'
import type {
  SessionCreateResult,
  SessionKind,
  SessionSendResult,
  SessionStatus,
  SessionStatusResult,
} from './tools.ts'

/**
 * The one table of what crosses between window and main process. `window.treeline` is this, built by the preload from
 * `CALLS` and `PUSHES`; main registers a handler for every call and parses its arguments.
 */

/** A row of the sidebar: a main or a fork, or a session that is odd and stands where one of these would. */
export interface SessionSummary {
  readonly session_id: string
  readonly kind: SessionKind
  readonly parent_session_id?: string
  readonly root_session_id: string
  /** Explicit title; absent if none. The window falls back to `prompt`, then to a short form of the id. */
  readonly title?: string
  /** The session's own first prompt, cut to 300 letters. */
  readonly prompt?: string
  readonly status: SessionStatus
  /** Milliseconds since the epoch. */
  readonly created_at?: number
  readonly updated_at?: number
  readonly cwd?: string
  readonly worktree?: WorktreeRecord
  /** Why the session is odd; a sentence. The row stays and can be opened. */
  readonly problem?: ToolError
  /** Worktree or cwd gone: a sentence. The state stays what it is. */
  readonly warning?: { readonly kind: 'worktree_missing' | 'folder_missing'; readonly message: string }
  readonly group: SessionGroup
  /** All levels below this session, stopping at forks. */
  readonly subagents: { readonly count: number; readonly worst?: SessionStatus }
  /** True while a prompt of the session's own waits in its inbox. */
  readonly waiting: boolean
}

/** Sessions are grouped by repository, else by folder. `key` is its path, '' where no cwd is recorded. */
export interface SessionGroup {
  readonly key: string
  readonly kind: 'repository' | 'folder' | 'none'
  readonly name: string
}

export interface NavigatorSnapshot {
  readonly home: string
  /** True once every session on disk has been looked at; until then rows may be from the catalog or still to come. */
  readonly complete: boolean
  readonly sessions: readonly SessionSummary[]
  /** Odd subagents that have no row, for the list of the unreadable. */
  readonly unreadable: readonly UnreadableSession[]
  /** Said once: live updates are slower, git is not there, another process owns the home … */
  readonly notices: readonly Notice[]
}

export interface UnreadableSession {
  readonly session_id: string
  readonly path: string
  readonly message: string
}

export interface Notice {
  readonly id: string
  readonly message: string
}

/** At most one a frame; a changed row replaces the row of its id. */
export interface NavigatorPatch {
  readonly changed: readonly SessionSummary[]
  readonly removed: readonly string[]
  readonly complete: boolean
  readonly unreadable?: readonly UnreadableSession[]
  readonly notices?: readonly Notice[]
}

/** One line of a log as the transcript shows it; the same shape as main's LogLine. */
export type TranscriptLine =
  | { readonly kind: 'header'; readonly offset: number; readonly bytes: number; readonly header?: LogHeader }
  | {
      readonly kind: 'event'
      readonly offset: number
      readonly bytes: number
      readonly event: SessionEvent
      /** True where long texts inside were cut; `bytes` tells the real size. */
      readonly cut?: true
    }
  | {
      readonly kind: 'bad'
      readonly offset: number
      readonly bytes: number
      readonly reason: string
      readonly text: string
    }
  | { readonly kind: 'unfinished'; readonly offset: number; readonly bytes: number }

export interface TranscriptPage {
  readonly session_id: string
  readonly lines: readonly TranscriptLine[]
  readonly from: number
  readonly to: number
  readonly size: number
  readonly atStart: boolean
  readonly atEnd: boolean
  readonly inode: number
}

/** The head of the open session, apart from its lines. */
export interface SessionDetails {
  readonly summary: SessionSummary
  readonly session_path: string
  readonly size: number
  readonly seedLength?: number
  readonly seedBytes?: number
  readonly model?: string
  /** From the main down to this session. */
  readonly breadcrumb: readonly { readonly session_id: string; readonly kind: SessionKind; readonly name: string }[]
  /** For a fork: the title of what it was forked from and the step its seed ends with. */
  readonly forkedFrom?: {
    readonly session_id: string
    readonly name: string
    readonly turn?: number
    readonly step?: number
  }
  /** The subagents below this session, nested, stopping at forks. */
  readonly subagents: readonly SubagentSummary[]
}

export interface SubagentSummary {
  readonly session_id: string
  readonly name: string
  readonly status: SessionStatus
  readonly problem?: string
  readonly updated_at?: number
  readonly subagents: readonly SubagentSummary[]
}

/** What a fork would be, shown in the dialog before anything is made. */
export interface ForkPreview {
  /** What the child inherits. */
  readonly events: number
  readonly turn?: number
  readonly step?: number
  /** True if the parent is inside a turn and has records after the boundary: the step in progress, which is not copied. */
  readonly leavesOutOpenStep: boolean
  readonly cwd: string
  readonly worktree?: {
    readonly path: string
    readonly branch: string
    readonly commit: string
    readonly startsAt: string
    readonly uncommitted: number
    readonly notes: readonly string[]
  }
}

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
  session_create(request: unknown, caller?: { as?: string; call?: string }): Promise<Result<SessionCreateResult>>
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

export const PUSHES = ['patch', 'log_changed', 'create_progress', 'import_progress', 'menu_command', 'notice'] as const

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
