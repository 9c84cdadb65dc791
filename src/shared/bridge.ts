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
  readonly subagents: { readonly count: number; readonly worst?: SessionStatus; readonly needs_you?: boolean }
  /** True while a prompt of the session's own waits in its inbox. */
  readonly waiting: boolean
  /** Its agent asks a person something. */
  readonly needs_you?: boolean
  /** It waits until another agent has finished its turn. */
  readonly queued?: boolean
}

/** An agent's question, with its own choices. */
export interface PermissionAsked {
  readonly id: string
  readonly title: string
  /** What it is about, such as the command or the path. */
  readonly detail?: string
  readonly options: readonly {
    readonly id: string
    readonly label: string
    readonly kind: 'allow' | 'allow_always' | 'reject' | 'other'
  }[]
}

/** What is known of a live agent. `since`: when the turn at hand began, in milliseconds since the epoch. */
export interface LiveState {
  readonly state: 'running' | 'idle' | 'queued'
  readonly requests: readonly PermissionAsked[]
  readonly since?: number
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
  /** What is known of its agent; absent where none is live. */
  readonly live?: LiveState
  /** Why the message that waits first is not taken, and what to do. */
  readonly trouble?: string
}

/** How a session ended, in Voss's words; `time` is milliseconds since the epoch. */
export interface SessionEnded {
  readonly reason: 'done' | 'max-iter' | 'budget' | 'interrupt' | 'batch-invariant' | 'timeout' | 'killed' | 'error'
  readonly time: number
}

/** Tokens that a session may spend, and what it and everything below it has spent. */
interface Budget {
  readonly limit: number
  readonly spent: number
}

/** The limit that holds for the open session: its own, or the one it draws on. */
export interface BudgetView extends Budget {
  /** Whose it is: the session's own, or its nearest ancestor's that has one. */
  readonly owner: { readonly session_id: string; readonly name: string }
  /** How many sessions below the owner, forks and subagents at all levels, draw on it or were given a part of it. */
  readonly sharers: number
  /** Tokens that are promised to sessions below which have limits of their own. */
  readonly given: number
  /** Attempts to raise it, each refused, the latest first; `time` is milliseconds since the epoch. */
  readonly rejected_raises: readonly { readonly asked: number; readonly time: number }[]
}

/** What a session's log says of the work in it. */
export interface WorkDone {
  readonly ended?: SessionEnded
  /** Used by the session itself; 0 where no agent told. */
  readonly tokens: number
  readonly budget?: Budget
}

/** Work in the open session and below it: folded from whole logs, so it is asked for apart from the details. */
export interface SessionWork extends WorkDone {
  /** Which agent takes the next message; absent if none does, and `no_agent` says why and what to do. */
  readonly agent?: { readonly id: string; readonly label: string }
  readonly no_agent?: string
  /** Absent where no limit holds. */
  readonly budget_view?: BudgetView
  /** What waits in the inbox, in the order it will be taken; each cut to 300 letters. */
  readonly waiting: readonly { readonly id: string; readonly text: string }[]
  /** By session id. Those with logs too long to be read for it are left out. */
  readonly subagents: Readonly<Record<string, WorkDone>>
}

/** The agents a session can be made for. */
export interface PresetsView {
  readonly presets: readonly PresetChoice[]
  /** The one that sessions get which name none. */
  readonly chosen: string | null
  /** What is wrong with presets.json, a sentence each. */
  readonly problems: readonly string[]
  /** Agents on this computer that cannot be used, and why, to be read after the label. */
  readonly unusable?: readonly { readonly id: string; readonly label: string; readonly why: string }[]
}

interface PresetChoice {
  readonly id: string
  readonly label: string
  readonly kind: 'acp' | 'shell'
  /** `found`: its program is on PATH. */
  readonly source: 'file' | 'found' | 'built-in'
  /** `provider/model`, where the preset names one. */
  readonly model?: string
  /** Tokens that each of its sessions may spend, where the preset sets a limit. */
  readonly budget?: number
}

export interface SubagentSummary {
  readonly session_id: string
  readonly name: string
  readonly status: SessionStatus
  readonly problem?: string
  readonly created_at?: number
  readonly updated_at?: number
  readonly needs_you?: boolean
  readonly queued?: boolean
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
