import type { SessionKind } from './tools.ts'

/** Where a fork's own worktree is and what it was made from (design §3). `branch` is a short name, `base` a commit id. */
export interface WorktreeRecord {
  readonly path: string
  readonly branch: string
  readonly base: string
  /** The repository's common git directory's worktree or bare folder: what sessions are grouped by. */
  readonly repository: string
}

/** What an import could not express in the tree's own terms, kept as it was found. */
export interface LegacyRecord {
  readonly id?: string
  readonly parentSession?: string
  readonly reason: string
}

/** A log's first line: DSH's own header fields plus the spec's, at top level (design §3, dsh-format §3 and §11). */
export interface LogHeader {
  readonly type: 'session'
  readonly version: number
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly cwd?: string
  readonly parentSession?: string
  /** How many leading events were copied from the parent. */
  readonly seedLength?: number
  readonly origin?: 'subagent'
  readonly delegationDepth: number
  readonly agentPreset?: string
  readonly kind: SessionKind
  readonly parent_session_id?: string
  readonly root_session_id: string
  readonly worktree?: WorktreeRecord
  /** The byte offset at which a fork's own part begins. */
  readonly seedBytes?: number
  readonly legacy?: LegacyRecord
}

/** One line after the header: DSH's envelope (dsh-format §4). `time` is milliseconds since the epoch. */
export interface SessionEvent {
  readonly type: string
  readonly seq: number
  readonly time: number
  readonly data: unknown
  readonly ignorable?: true
  readonly surfaceOp?: unknown
  readonly sourceEventSeqs?: readonly number[]
}

/** An event before the log has given it its place. */
export type EventDraft = Omit<SessionEvent, 'seq'>
