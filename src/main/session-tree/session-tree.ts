import type { Result } from '../../shared/result.ts'
import type { EventDraft, LogHeader, SessionEvent, WorktreeRecord } from '../../shared/session-event.ts'
import type { SessionId } from '../../shared/session-id.ts'
import type { ToolError } from '../../shared/tool-error.ts'
import type { ModelChoice, SessionKind, SessionStatus, SessionTreeView } from '../../shared/tools.ts'

/**
 * What the durable tree is to the rest of main: the operations of spec §4.2, and the shapes they speak in. The one
 * implementation is `openSessionTree` in `tree-provider.ts`. Looking never writes and never needs the owner lock;
 * creating and appending are for the home's owner only.
 */
export interface SessionTree {
  /** `<home>/session-tree`. */
  readonly root: string
  /**
   * Publishes a session whole or not at all: temporary name in the same directory, fsync of file and directory, rename.
   * Fails with `session_exists`, `unknown_session` (parent), `layout_mismatch`, `io_failed`, `cancelled`.
   */
  create(session: NewSession, signal?: AbortSignal): Promise<Result<SessionPlace>>
  /** Publishes a log that came from elsewhere: same guarantees as `create`. Its events have seq 0, 1, 2 … */
  adopt(session: AdoptedSession, signal?: AbortSignal): Promise<Result<SessionPlace>>
  /**
   * One batch, one write, fsynced before it returns. Every event's `seq` must continue the log
   * (`events_not_contiguous` otherwise); a log that ends in a cut line is refused or repaired as the log module says,
   * never glued to. A failed write leaves the file at its former length.
   */
  append(id: SessionId, events: readonly SessionEvent[]): Promise<Result<AppendReceipt>>
  /** As `append`, with `seq` given by the log under the session's own order. For writers that hold no log state. */
  appendNext(id: SessionId, drafts: readonly EventDraft[]): Promise<Result<AppendReceipt>>
  /**
   * Queues a person's prompt behind those that already wait for a turn: DSH's own durable inbox event, fsynced before this
   * returns. `text` may be empty for nobody; the tools check that.
   */
  queuePrompt(id: SessionId, text: string): Promise<Result<AppendReceipt>>
  /** Names a session as a person wants it: a `session/title` event of source "user". Directory and ids stay as they are. */
  rename(id: SessionId, title: string): Promise<Result<AppendReceipt>>
  /** The place of a session, found on disk: `unknown_session` if it is nowhere. Never guesses from an index. */
  locate(id: SessionId): Promise<Result<SessionPlace>>
  /** Every place in the tree, mains first, parents before children; strays that are not ids are left out. */
  places(): AsyncIterable<SessionPlace>
  /** Head and tail of one log: enough for kind, title, status, times. Never parses the whole. Never fails: see `problem`. */
  facts(place: SessionPlace): Promise<SessionFacts>
  /** Streams the whole log, strictly: header, layout, version, vocabulary and seq are checked as DSH does. */
  load(id: SessionId): Promise<Result<LoadedLog>>
  /** A page of lines for a viewer: tolerant, bad lines stand in place. */
  read(id: SessionId, page: PageRequest): Promise<Result<LogPage>>
  /** The whole text of the line that begins at this byte offset, however odd; at most its first MiB. */
  readLine(id: SessionId, offset: number): Promise<Result<string>>
  /**
   * What `facts` could not settle: title and own first prompt, found by a scan of bytes. For a background task; it is
   * cancelled through the signal and then fails with `cancelled`.
   */
  findTitle(place: SessionPlace, signal?: AbortSignal): Promise<Result<TitleScan>>
  /** The boundary at which a fork of this log is cut now (spec §3.2, design §3): `ambiguous_boundary` if in doubt. */
  boundary(id: SessionId): Promise<Result<Boundary>>
  /** The nested view of a session and all below it (spec §3.4). `status` is cold, failed or missing: no agent is known here. */
  view(id: SessionId): Promise<Result<SessionTreeView>>
  /** The place of each main, by directory alone. */
  mains(): Promise<readonly SessionPlace[]>
}

/** Where a session's directory stands. The layout alone gives kind and lineage; the header must agree (spec §4). */
export interface SessionPlace {
  readonly id: SessionId
  readonly kind: SessionKind
  readonly directory: string
  readonly logPath: string
  /** From the main down to the direct parent; empty for a main. */
  readonly ancestors: readonly SessionId[]
}

export interface NewSession {
  readonly id: SessionId
  readonly kind: SessionKind
  /** Absent for a main, required otherwise. */
  readonly parent?: SessionId
  readonly cwd: string
  readonly prompt: string
  readonly title?: string
  readonly agentPreset?: string
  readonly model?: ModelChoice
  /** Own facts that stand before the prompt, such as a budget: ignorable events. */
  readonly notes?: readonly EventDraft[]
  readonly worktree?: WorktreeRecord
  /** Forks only: what `boundary(parent)` answered. */
  readonly boundary?: Boundary
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** A session as an exchange source gives it: header in the tree's terms, events in order. */
export interface AdoptedSession {
  readonly header: LogHeader
  readonly parent?: SessionId
  readonly events: AsyncIterable<SessionEvent> | Iterable<SessionEvent>
}

export interface AppendReceipt {
  readonly firstSeq: number
  readonly lastSeq: number
  /** The log's length in bytes after the write. */
  readonly size: number
}

/** A stretch of a file in bytes; `to` is one past its last. */
export interface ByteRange {
  readonly from: number
  readonly to: number
}

/** The last completed step of a log (spec §3.2). */
export interface Boundary {
  /** How many events are copied: the boundary's seq + 1, or 0 if nothing is complete. */
  readonly seedLength: number
  /** The byte range of the copied events in the parent's log: from the end of its header line. */
  readonly from: number
  readonly to: number
  /** Blank lines within that range, which are left out of the copy: DSH takes one for damage. Absent if there are none. */
  readonly blanks?: readonly ByteRange[]
  /** The turn that is open at the boundary and must be closed in the child; absent if none. */
  readonly openTurn?: number
  /** The last completed step and its turn; absent if nothing is complete. */
  readonly turn?: number
  readonly step?: number
  /** The boundary event's time, which closers carry. */
  readonly time?: number
}

export interface SessionFacts {
  readonly place: SessionPlace
  /** Absent where the log is missing, empty or its first line cannot be read. */
  readonly header?: LogHeader
  /** Why this session is odd, in words: layout and header disagree, log missing or empty, header unreadable … */
  readonly problem?: ToolError
  /** The last `session/title` with seq >= seedLength. */
  readonly title?: string
  /** The session's own first prompt, from the turn or still in the inbox, at most 500 UTF-16 units. */
  readonly firstPrompt?: string
  /** False where neither head nor tail could settle title or first prompt: `title-scan.ts` finds it in the background. */
  readonly settled: boolean
  /** Time of the last event, in ms; never a file time. Falls back to the header's createdAt. */
  readonly updatedAt?: number
  readonly status: Extract<SessionStatus, 'cold' | 'failed' | 'missing'>
  /** True if the log ends inside a turn. */
  readonly openTurn: boolean
  /** True if the last line has no newline yet. */
  readonly cutTail: boolean
  /** True if a next-turn prompt of the session's own waits in the inbox, as far as the tail shows. */
  readonly waiting: boolean
  readonly file?: FileStamp
}

/** The last own `session/title` and the session's own first prompt, where there are any. */
export interface TitleScan {
  readonly title?: string
  readonly firstPrompt?: string
}

/** What a file must still be for facts about it to hold. */
export interface FileStamp {
  readonly size: number
  readonly mtimeMs: number
  readonly inode: number
}

export interface LoadedLog {
  readonly place: SessionPlace
  readonly header: LogHeader
  /** Ends after the first failure; a cut last line is no failure, it ends the stream. */
  readonly events: AsyncIterable<Result<SessionEvent>>
}

/** `before`: the page that ends at this byte offset (absent: the log's end). `after`: the page that starts there. */
export type PageRequest =
  | { readonly before?: number; readonly lines: number }
  | { readonly after: number; readonly lines: number }

export interface LogPage {
  readonly lines: readonly LogLine[]
  /** Byte offsets of the page in the log. `from` is the first line's first byte. */
  readonly from: number
  readonly to: number
  readonly size: number
  /** True if the page begins right behind the header (or at byte 0 where there is none). */
  readonly atStart: boolean
  readonly atEnd: boolean
  readonly inode: number
}

/** One line as a viewer shows it. `offset` is its first byte; `number` counts from 1 where it is known. */
export type LogLine =
  | { readonly kind: 'header'; readonly offset: number; readonly bytes: number; readonly header?: LogHeader }
  | {
      readonly kind: 'event'
      readonly offset: number
      readonly bytes: number
      readonly event: SessionEvent
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
