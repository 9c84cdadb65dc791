import { ok, type Result } from '../../shared/result.ts'
import type { LogHeader } from '../../shared/session-event.ts'
import type { SessionId } from '../../shared/session-id.ts'
import { readSoundHeader, withLog, type LogFile } from '../session-tree/log-file.ts'
import { takeFromOwn, type FoundEvent } from '../session-tree/own-scan.ts'
import { readTail } from '../session-tree/log-tail.ts'
import type { SessionPlace, SessionTree } from '../session-tree/session-tree.ts'
import { emptyState, foldState, STATE_EVENTS, type SessionState } from './session-state.ts'

/** A session as its agents see it: place, header, and what the log says up to now. Looked at, never changed. */
export interface SessionReading {
  readonly place: SessionPlace
  readonly header: LogHeader
  readonly state: Readonly<SessionState>
}

/** Reads sessions from their logs. What was read once is remembered, and only what was appended since is read again. */
export interface SessionReader {
  /** Fails as the log does: `unknown_session`, `log_missing`, `layout_mismatch`, `log_damaged`, `io_failed` … */
  read(id: SessionId): Promise<Result<SessionReading>>
}

interface Known extends SessionReading {
  readonly state: SessionState
  readonly inode: number
  /** One past the last newline that was folded. */
  readonly end: number
}

/** How many sessions are remembered; one that was forgotten is read from its beginning. */
const REMEMBERED = 500

export function createSessionReader(tree: SessionTree): SessionReader {
  const known = new Map<SessionId, Known>()
  const orders = new Map<SessionId, Promise<unknown>>()

  async function readNow(id: SessionId): Promise<Result<SessionReading>> {
    const place = await tree.locate(id)
    if (!place.ok) return place
    const before = known.get(id)
    const now = await withLog(place.value, (log) => readOn(log, place.value, before))
    known.delete(id)
    if (!now.ok) return now
    known.set(id, now.value)
    const oldest = known.keys().next()
    if (known.size > REMEMBERED && !oldest.done) known.delete(oldest.value)
    // A copy: what a caller looks at does not change under it when the session is read again.
    return ok({ ...now.value, state: { ...now.value.state } })
  }

  return {
    read(id) {
      const mine = (orders.get(id) ?? Promise.resolve()).then(() => readNow(id))
      const settled = mine.catch(() => undefined)
      orders.set(id, settled)
      void settled.then(() => {
        if (orders.get(id) === settled) orders.delete(id)
      })
      return mine
    },
  }
}

async function readOn(log: LogFile, place: SessionPlace, before: Known | undefined): Promise<Result<Known>> {
  const { file, size, inode } = log
  const isSame = before && before.inode === inode && before.end <= size && before.place.logPath === place.logPath
  if (isSame && before.end === size) return ok(before)
  const opening = isSame ? undefined : await readSoundHeader(log, place)
  if (opening && !opening.ok) return opening
  const header = opening?.value.header ?? before?.header
  const from = opening?.value.end ?? before?.end
  if (!header || from === undefined) throw new Error('A log is known, or its header was read.')
  const tail = await readTail(file, size, from, place.logPath)
  if (!tail.ok) return tail
  const end = Math.max(from, tail.value.committed)
  const state: SessionState = isSame ? before.state : emptyState()
  for (const event of await eventsFrom(log, header, from, end)) foldState(state, event, header.seedLength ?? 0)
  return ok({ place, header, state, inode, end })
}

/** The events of a stretch that the state is made of, the seed's included. */
function eventsFrom({ file }: LogFile, header: LogHeader, from: number, end: number): Promise<FoundEvent[]> {
  const { seedLength: _events, seedBytes: _bytes, ...whole } = header
  return takeFromOwn(file, { header: whole, headerEnd: from, size: end, types: STATE_EVENTS }, slim)
}

/** Of a message only what it cost is held. */
function slim(event: FoundEvent): FoundEvent {
  if (event.type !== 'assistant/message') return event
  const { data } = event
  return { ...event, data: { usage: typeof data === 'object' && data !== null && 'usage' in data ? data.usage : null } }
}
