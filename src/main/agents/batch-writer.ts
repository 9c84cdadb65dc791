import type { Result } from '../../shared/result.ts'
import type { EventDraft } from '../../shared/session-event.ts'
import type { ToolError } from '../../shared/tool-error.ts'
import { fieldsOf } from './fields.ts'
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
  let pendingBytes = 0
  let writingBytes = 0
  /** How many events were taken, and how many are written or given up. */
  let taken = 0
  let done = 0
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  /** What is pending is to be written as soon as the write at hand is done. */
  let isDue = false
  let failure: ToolError | undefined

  /** One write at a time: what comes meanwhile goes with the next, so a slow disk makes batches larger, not more. */
  async function writeAll(): Promise<void> {
    while (pending.length > 0 && (isDue || pendingBytes >= ENOUGH_BYTES)) {
      clearTimeout(timer)
      timer = undefined
      isDue = false
      const batch = pending
      writingBytes = pendingBytes
      pending = []
      pendingBytes = 0
      const written = failure ? undefined : await append(batch)
      writingBytes = 0
      done += batch.length
      if (written?.ok !== false) continue
      failure = written.error
      onFailure(failure)
    }
  }

  function start(): Promise<void> {
    running ??= writeAll().finally(() => {
      running = undefined
    })
    return running
  }

  function wait(): void {
    timer ??= setTimeout(() => {
      timer = undefined
      isDue = true
      void start()
    }, DELAY_MS)
  }

  /** The write at hand took what was there before it; the next takes the rest. What comes later is not waited for. */
  async function writtenUpTo(wanted: number): Promise<void> {
    if (done >= wanted) return
    isDue = true
    await start()
    await writtenUpTo(wanted)
  }

  return {
    add(draft) {
      if (failure) return
      const size = sizeOf(draft)
      if (draft.type === 'assistant/chunk' || draft.type === OUTPUT_EVENT) {
        if (pendingBytes + writingBytes > MOST_BYTES) return
        const joined = join(pending.at(-1), draft)
        if (joined) {
          pending[pending.length - 1] = joined
          pendingBytes += size
          return
        }
      }
      pending.push(draft)
      taken += 1
      pendingBytes += size
      if (pendingBytes >= ENOUGH_BYTES) void start()
      else wait()
    },
    async flush() {
      await writtenUpTo(taken)
      return failure
    },
  }
}

function sizeOf({ data }: EventDraft): number {
  return roughSize(data)
}

/** About as many bytes as a value takes in the log, for far less work than writing it down. */
function roughSize(value: unknown): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 8
  let size = 2
  for (const [key, member] of Object.entries(value)) size += key.length + 4 + roughSize(member)
  return size
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
  const fields = fieldsOf(data)
  const holder = type === OUTPUT_EVENT ? fields : fieldsOf(fields['chunk'])
  if (type !== OUTPUT_EVENT && holder['type'] !== 'text-delta' && holder['type'] !== 'reasoning-delta') return undefined
  const { text, ...rest } = holder
  if (typeof text !== 'string') return undefined
  if (type === OUTPUT_EVENT) return { of: JSON.stringify(rest), text, with: (joined) => ({ ...rest, text: joined }) }
  const of = JSON.stringify([fields['turn'], fields['step'], rest])
  return { of, text, with: (joined) => ({ ...fields, chunk: { ...rest, text: joined } }) }
}
