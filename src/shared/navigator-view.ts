import type { LiveState } from './agent-view.ts'
import type { LogHeader, SessionEvent, WorktreeRecord } from './session-event.ts'
import type { ToolError } from './tool-error.ts'
import type { SessionKind, SessionStatus } from './tools.ts'

/* What the window shows of sessions, as main knows it: rows, the head of the open session, pages of its log, previews. */

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
