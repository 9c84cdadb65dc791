import type { Result } from '../../shared/result.ts'
import type { SessionEvent } from '../../shared/session-event.ts'
import type { ToolError } from '../../shared/tool-error.ts'

/**
 * What any source of foreign sessions is. A source only reads: it finds sessions and streams their events in DSH's
 * vocabulary; where they go, under which id and below which parent is decided by the import, the same for all sources.
 */
export interface SessionSource {
  /** As it stands in sentences: "DSH". */
  readonly label: string
  /**
   * Every session below the folders, each as far as its header tells, and every file that looks like one but cannot be
   * read. A folder that is not there is a problem of that folder; nothing is ever thrown away in silence.
   */
  find(folders: readonly string[], signal?: AbortSignal): AsyncIterable<Found>
}

export type Found =
  | { readonly kind: 'session'; readonly session: ForeignSession }
  | { readonly kind: 'problem'; readonly name: string; readonly error: ToolError }

/** One session as a source found it. Nothing beyond its header has been read. */
export interface ForeignSession {
  /** The source's own id: any text, not yet safe as a directory name. */
  readonly id: string
  /** The file or folder it was read from. */
  readonly path: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** As written, even where it means nothing on this host (field fault F10). */
  readonly cwd?: string
  /** The source's id of the session that made this one. */
  readonly parent?: string
  /** What it is to its parent; without meaning where `parent` is absent. */
  readonly relation: 'fork' | 'subagent'
  /** How many leading events were copied from the parent. */
  readonly seedLength?: number
  readonly agentPreset?: string
  /** The events with seq 0, 1, 2 …, each time anew from the file. Ends after the first failure. */
  events(signal?: AbortSignal): AsyncIterable<Result<SessionEvent>>
}
