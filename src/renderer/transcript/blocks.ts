import type { Fields } from './event-data.ts'

/**
 * What a transcript shows, one after another. A block's `key` is the byte offset where it begins, which never changes;
 * `revision` is the offset of the last line that had a part in it, so a block is drawn again only when it changed.
 */
export type Block =
  | BeginBlock
  | PromptBlock
  | ContextBlock
  | AnswerBlock
  | ReasoningBlock
  | ToolBlock
  | NoteBlock
  | TodosBlock
  | EventBlock
  | BadBlock
  | UnfinishedBlock
  | WaitingBlock
  | ForkMarkBlock

interface Placed {
  readonly key: string
  readonly revision: string
}

/** The log's own first line. */
export interface BeginBlock extends Placed {
  readonly type: 'begin'
  readonly time: number | undefined
  readonly cwd: string | undefined
}

export interface PromptBlock extends Placed {
  readonly type: 'prompt'
  readonly text: string
  readonly images: number
  readonly time: number
  readonly cut: CutLine | undefined
}

/** Context put in by the host, a plugin or a helper: no person typed it. */
export interface ContextBlock extends Placed {
  readonly type: 'context'
  readonly label: string
  readonly text: string
  readonly cut: CutLine | undefined
}

export interface AnswerBlock extends Placed {
  readonly type: 'answer'
  readonly text: string
  /** Put together from streamed pieces, as no whole message followed, and none will. */
  readonly partial: boolean
  readonly cut: CutLine | undefined
}

export interface ReasoningBlock extends Placed {
  readonly type: 'reasoning'
  readonly text: string
}

export interface ToolBlock extends Placed {
  readonly type: 'tool'
  readonly name: string
  readonly gist: string
  readonly arguments: string
  readonly parsed: Fields | undefined
  readonly state: 'done' | 'failed' | 'running' | 'unanswered'
  readonly duration: string | undefined
  /** While it runs, what it has said so far. */
  readonly result: string | undefined
  readonly diffs: readonly FileDiff[]
  /** It is all that the agent says: shown open. */
  readonly isAnswer: boolean
  readonly cut: CutLine | undefined
}

export interface FileDiff {
  readonly path: string
  readonly oldText: string
  readonly newText: string
}

/** A sentence between the messages: how a turn ended, a retry, a rename. */
export interface NoteBlock extends Placed {
  readonly type: 'note'
  readonly tone: 'failed' | 'quiet'
  readonly text: string
  readonly detail: string | undefined
  /** The prompt of an interrupted turn, which a person may send again. */
  readonly again?: string
}

export interface TodosBlock extends Placed {
  readonly type: 'todos'
  readonly todos: readonly { readonly content: string; readonly status: string }[]
}

/** An event this version has no words for. */
export interface EventBlock extends Placed {
  readonly type: 'event'
  readonly name: string
  readonly json: string
  readonly cut: CutLine | undefined
}

export interface BadBlock extends Placed {
  readonly type: 'bad'
  readonly where: string
  readonly reason: string
  readonly text: string
}

export interface UnfinishedBlock extends Placed {
  readonly type: 'unfinished'
  readonly bytes: number
}

/** A prompt that is in the inbox and not yet taken. */
export interface WaitingBlock extends Placed {
  readonly type: 'waiting'
  readonly id: string
  readonly text: string
}

/** Where a fork's own part begins. */
interface ForkMarkBlock extends Placed {
  readonly type: 'fork-mark'
}

/** A line whose long texts main has cut; the whole is in the log at `offset`. */
export interface CutLine {
  readonly offset: number
  readonly bytes: number
}
