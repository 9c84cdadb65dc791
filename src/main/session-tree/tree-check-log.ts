import { ok } from '../../shared/result.ts'
import type { LogHeader } from '../../shared/session-event.ts'
import { toolError, type ToolError } from '../../shared/tool-error.ts'
import { asRecord } from './event.ts'
import { peekEvent } from './event-peek.ts'
import { readBytes, withLog, type LogFile } from './log-file.ts'
import { loadLog } from './log-loader.ts'
import type { SessionPlace } from './session-tree.ts'

const NEWLINE = 10
/** Enough for the keys that stand before an event's data. */
const PEEK = 64 * 1024

/** What a log's check came to: at most one fault, since a reader stops at the first; notes only on a sound log. */
export interface LogCheck {
  readonly fault?: ToolError
  /** The log ends inside a turn: an agent works on it, or was interrupted. */
  readonly openTurn?: true
  /** The last line has no newline: it is being written, or its writer ended. */
  readonly cutTail?: true
}

/** Reads one session's log whole, as strictly as DSH does, and holds what its header says of its seed against it. */
export async function checkLog(place: SessionPlace): Promise<LogCheck> {
  const loaded = await loadLog(place)
  if (!loaded.ok) return { fault: loaded.error }
  let events = 0
  let openTurn = false
  for await (const event of loaded.value.events) {
    if (!event.ok) return { fault: event.error }
    events += 1
    if (event.value.type === 'turn/start') openTurn = true
    if (event.value.type === 'turn/end') openTurn = false
  }
  const { header } = loaded.value
  const ends = await withLog(place, async (log) => {
    const [last] = await readBytes(log.file, log.size - 1, 1)
    const own = header.seedBytes === undefined ? undefined : await firstAt(log, header.seedBytes)
    return ok({ cutTail: last !== NEWLINE, own })
  })
  if (!ends.ok) return { fault: ends.error }
  const fault = seedFault(place, header, events, ends.value.own)
  if (fault) return { fault }
  return { ...(openTurn ? { openTurn } : {}), ...(ends.value.cutTail ? { cutTail: true } : {}) }
}

/** `seedLength` counts the copied events and `seedBytes` is where the first own one begins (design §3). */
function seedFault(
  place: SessionPlace,
  header: LogHeader,
  events: number,
  own: FoundAt | undefined,
): ToolError | undefined {
  const { seedLength = 0 } = header
  const path = place.logPath
  const disagrees = (field: 'seedLength' | 'seedBytes', but: string) =>
    toolError(
      'log_damaged',
      `The header of ${path} says ${field} ${header[field]}, but ${but}. What is the session's own cannot be told from what it was forked with; restore the log from a backup.`,
      { path, field },
    )
  if (seedLength > events) return disagrees('seedLength', `the log holds ${events} events`)
  if (own === undefined) return undefined
  if (own === 'nothing') return disagrees('seedBytes', 'no event begins there')
  // No event of its own yet: then everything in the log was copied.
  const seq = own === 'end' ? events : own
  return seq === seedLength ? undefined : disagrees('seedBytes', `what begins there is event ${seq}, not ${seedLength}`)
}

/** The seq of an event; `end` where the log, or its last finished line, ends. */
type FoundAt = number | 'end' | 'nothing'

/** What begins at a byte. */
async function firstAt({ file, size }: LogFile, offset: number): Promise<FoundAt> {
  if (offset < 1 || offset > size) return 'nothing'
  const [before] = await readBytes(file, offset - 1, 1)
  if (before !== NEWLINE) return 'nothing'
  const bytes = await readBytes(file, offset, Math.min(PEEK, size - offset))
  const newline = bytes.indexOf(NEWLINE)
  if (newline === -1 && bytes.length < PEEK) return 'end'
  const line = newline === -1 ? bytes : bytes.subarray(0, newline)
  const peeked = peekEvent(line, 0, line.length)
  if (peeked) return peeked.seq
  // Written by another hand, with its keys in another order.
  const seq = newline === -1 ? undefined : asRecord(JSON.parse(line.toString('utf8')))?.['seq']
  return typeof seq === 'number' ? seq : 'nothing'
}
