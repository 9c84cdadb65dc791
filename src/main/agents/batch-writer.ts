import type { Result } from '../../shared/result.ts'
import type { EventDraft } from '../../shared/session-event.ts'
import type { ToolError } from '../../shared/tool-error.ts'
import { OUTPUT_EVENT } from './own-events.ts'

/** Events on their way to one log, in order: gathered for a moment, then written and fsynced together. */
export interface BatchWriter {
  add(draft: EventDraft): void
  /** Writes what is there now. Resolves once it is on disk, with the failure if the log could not be written. */
  flush(): Promise<ToolError | undefined>
}

/** A person sees what was reported after at most this; an fsync for each piece would cost more than the piece. */
const DELAY_MS = 100
/** So much is written at once, without waiting further. */
const ENOUGH_BYTES = 64 * 1024
/** Pieces of a stream are left out rather than held, where the disk is slower than the agent: the whole comes at the end. */
const MOST_BYTES = 8 * 1024 * 1024
/** Neighbouring pieces of one stream become one event up to this many letters. */
const LONGEST_PIECE = 16 * 1024

/**
 * @param append writes a batch, whole or not at all.
 * @param onFailure told once of the first failure; what comes after it is dropped, since it would not stand where it belongs.
 */
export function createBatchWriter(
  append: (drafts: readonly EventDraft[]) => Promise<Result<unknown>>,
  onFailure: (error: ToolError) => void,
): BatchWriter {
  let pending: EventDraft[] = []
  let bytes = 0
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  let failure: ToolError | undefined

  function write(): void {
    clearTimeout(timer)
    timer = undefined
    if (pending.length === 0) return
    const batch = pending
    const size = bytes
    pending = []
    writing = writing.then(async () => {
      if (!failure) {
        const written = await append(batch)
        if (!written.ok) {
          failure = written.error
          onFailure(written.error)
        }
      }
      bytes -= size
    })
  }

  return {
    add(draft) {
      if (failure) return
      const size = sizeOf(draft)
      if (draft.type === 'assistant/chunk' || draft.type === OUTPUT_EVENT) {
        if (bytes > MOST_BYTES) return
        const joined = join(pending.at(-1), draft)
        if (joined) {
          pending[pending.length - 1] = joined
          bytes += size
          return
        }
      }
      pending.push(draft)
      bytes += size
      if (bytes >= ENOUGH_BYTES) write()
      else timer ??= setTimeout(write, DELAY_MS)
    },
    async flush() {
      write()
      await writing
      return failure
    },
  }
}

function sizeOf({ data }: EventDraft): number {
  return JSON.stringify(data)?.length ?? 0
}

/** Two neighbouring pieces of the same stream as one event. */
function join(last: EventDraft | undefined, next: EventDraft): EventDraft | undefined {
  if (!last || last.type !== next.type) return undefined
  const before = pieceOf(last)
  const after = pieceOf(next)
  if (!before || before.of !== after?.of || before.text.length + after.text.length > LONGEST_PIECE) return undefined
  return { ...last, data: before.with(before.text + after.text) }
}

interface Piece {
  /** Which stream it is a piece of. */
  readonly of: string
  readonly text: string
  with(text: string): unknown
}

/** The text of a piece of an answer or of a command's output; undefined for any other event. */
function pieceOf({ type, data }: EventDraft): Piece | undefined {
  const fields = asFields(data)
  const holder = type === OUTPUT_EVENT ? fields : asFields(fields['chunk'])
  if (type !== OUTPUT_EVENT && holder['type'] !== 'text-delta' && holder['type'] !== 'reasoning-delta') return undefined
  const { text, ...rest } = holder
  if (typeof text !== 'string') return undefined
  if (type === OUTPUT_EVENT) return { of: JSON.stringify(rest), text, with: (joined) => ({ ...rest, text: joined }) }
  const of = JSON.stringify([fields['turn'], fields['step'], rest])
  return { of, text, with: (joined) => ({ ...fields, chunk: { ...rest, text: joined } }) }
}

function asFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
