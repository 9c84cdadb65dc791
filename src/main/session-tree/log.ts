import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { fail, ok, type Result } from '../../shared/result.ts'
import type { EventDraft, LogHeader, SessionEvent } from '../../shared/session-event.ts'
import type { SessionId } from '../../shared/session-id.ts'
import { toolError } from '../../shared/tool-error.ts'
import { envelopeFault, isUnderstood } from './event.ts'
import { errorCode } from './error-code.ts'
import { applySplice, INBOX_EVENT, type Inbox } from './inbox.ts'
import { readInbox } from './inbox-scan.ts'
import { ioFailure } from './io-failure.ts'
import { readFailure, readSoundHeader } from './log-file.ts'
import { readTail } from './log-tail.ts'
import { writeAll } from './seed.ts'
import type { AppendReceipt, FileStamp, SessionPlace } from './session-tree.ts'
import { createStamped, toStamp, type Stamped } from './stamped.ts'

/** A log opened for writing, its end known and sound. */
interface OpenLog {
  readonly file: FileHandle
  readonly place: SessionPlace
  readonly header: LogHeader
  /** One past the header's newline. */
  readonly headerEnd: number
  readonly lastSeq: number
  /** The log's length in bytes: it ends with a newline. */
  readonly size: number
  /** What waits in the session's own inbox: found by a scan the first time, known from then on. */
  inbox(): Promise<Inbox>
}

/** What is to be written, decided once the log's end is known. */
type EventsFor = (log: OpenLog) => Result<readonly SessionEvent[]> | Promise<Result<readonly SessionEvent[]>>

/** The one way lines get into logs that are published. */
export interface LogWriter {
  /** Runs after every append of the same session that was called earlier, whatever became of it. */
  append(id: SessionId, events: EventsFor): Promise<Result<AppendReceipt>>
}

/** What was known after this writer's last append; it holds only while the file is what it was then. */
interface KnownEnd extends Pick<OpenLog, 'header' | 'headerEnd' | 'lastSeq'> {
  readonly inbox: Inbox | undefined
}

/** How many logs' ends are remembered; an end that was forgotten is read again. */
const REMEMBERED = 256
const ENDS_WITH_NEWLINE = '\n'

/**
 * Opens the writer of one tree. Each session has its own order; a foreign program may append at any time, so the file is
 * looked at before each write (design §2.3).
 */
export function createLogWriter(locate: (id: SessionId) => Promise<Result<SessionPlace>>): LogWriter {
  const orders = new Map<SessionId, Promise<unknown>>()
  const remembered = createStamped<KnownEnd>(REMEMBERED)
  return {
    append(id, events) {
      const earlier = orders.get(id) ?? Promise.resolve()
      const mine = earlier.then(async () => {
        const place = await locate(id)
        return place.ok ? appendNow(place.value, events, remembered) : place
      })
      // A failed append is the caller's to know; the next one starts from what is on disk.
      const settled = mine.catch(() => undefined)
      orders.set(id, settled)
      void settled.then(() => {
        if (orders.get(id) === settled) orders.delete(id)
      })
      return mine
    },
  }
}

async function appendNow(
  place: SessionPlace,
  events: EventsFor,
  remembered: Stamped<KnownEnd>,
): Promise<Result<AppendReceipt>> {
  const path = place.logPath
  let file: FileHandle
  try {
    // Append mode: if a foreign program writes at the same moment, no byte of it is overwritten.
    file = await open(path, constants.O_RDWR | constants.O_APPEND)
  } catch (error) {
    return fail(
      errorCode(error) === 'ENOENT' ? readFailure(error, place) : ioFailure(error, 'open the log for writing', path),
    )
  }
  try {
    const end = await openEnd(file, place, remembered)
    remembered.forget(path)
    if (!end.ok) return end
    const { header, headerEnd, lastSeq, size } = end.value
    let { inbox } = end.value
    const log: OpenLog = {
      file,
      place,
      header,
      headerEnd,
      lastSeq,
      size,
      inbox: async () => (inbox ??= await readInbox(file, { header, headerEnd, size })),
    }
    const batch = await events(log)
    if (!batch.ok) return batch
    const fault = batchFault(batch.value, log)
    if (fault) return fail(fault)
    const written = await write(log, batch.value)
    if (!written.ok) return written
    const { receipt, stamp } = written.value
    remembered.note(path, stamp, {
      header,
      headerEnd,
      lastSeq: receipt.lastSeq,
      inbox: inbox && foldInbox(inbox, batch.value),
    })
    return ok(receipt)
  } catch (error) {
    return fail(ioFailure(error, 'append to the log', path))
  } finally {
    await file.close()
  }
}

/** Finds the log's end, and repairs it if a write was cut there: only what never was a record is touched. */
async function openEnd(
  file: FileHandle,
  place: SessionPlace,
  remembered: Stamped<KnownEnd>,
): Promise<Result<KnownEnd & { readonly size: number }>> {
  const path = place.logPath
  const stamp = toStamp(await file.stat())
  const known = remembered.get(path, stamp)
  if (known) return ok({ ...known, size: stamp.size })
  const opening = await readSoundHeader({ file, size: stamp.size }, place)
  if (!opening.ok) return opening
  const { header, end: headerEnd } = opening.value
  const tail = await readTail(file, stamp.size, headerEnd, path)
  if (!tail.ok) return tail
  const { committed, lastSeq, rest } = tail.value
  const log = { header, headerEnd, inbox: undefined }
  if (rest === 'none') return ok({ ...log, lastSeq, size: stamp.size })
  if (rest === 'record') {
    // A whole record that fits and lacks only its newline: ending it loses nothing.
    await writeAll(file, Buffer.from(ENDS_WITH_NEWLINE))
    await file.sync()
    return ok({ ...log, lastSeq: lastSeq + 1, size: stamp.size + 1 })
  }
  await file.truncate(committed)
  await file.sync()
  return ok({ ...log, lastSeq, size: committed })
}

function batchFault(events: readonly SessionEvent[], log: OpenLog) {
  const path = log.place.logPath
  for (const [index, event] of events.entries()) {
    const expected = log.lastSeq + 1 + index
    if (event.seq !== expected) {
      return toolError(
        'events_not_contiguous',
        `The next event of ${path} has seq ${expected}, but seq ${event.seq} was to be written. Read the log's end again and give the events the numbers that follow.`,
        { path, field: 'seq' },
      )
    }
    const fault = envelopeFault(event)
    if (fault)
      return toolError('invalid_request', `Nothing was written to ${path}: the event at seq ${event.seq} ${fault}.`, {
        path,
      })
    if (!isUnderstood(event)) {
      return toolError(
        'unknown_event',
        `Nothing was written to ${path}: the event type "${event.type}" (seq ${event.seq}) is unknown to DSH and not marked ignorable, so DSH would refuse the log.`,
        { path },
      )
    }
  }
  return undefined
}

interface Written {
  readonly receipt: AppendReceipt
  readonly stamp: FileStamp
}

async function write(log: OpenLog, events: readonly SessionEvent[]): Promise<Result<Written>> {
  const { file, size } = log
  const path = log.place.logPath
  const bytes = Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join(''))
  const expected = size + bytes.length
  try {
    if (bytes.length > 0) {
      // One write for the whole batch.
      await writeAll(file, bytes)
      await file.sync()
    }
  } catch (error) {
    return fail(await undo(error, log))
  }
  const stamp = toStamp(await file.stat())
  if (stamp.size !== expected) {
    return fail(
      toolError(
        'log_changed',
        `Another program wrote to ${path} at the same moment. Look at the end of the log; let only one program write to a session.`,
        { path },
      ),
    )
  }
  return ok({ receipt: { firstSeq: log.lastSeq + 1, lastSeq: log.lastSeq + events.length, size: expected }, stamp })
}

/** Takes back what a failed write left behind: the log has its former length again. */
async function undo(error: unknown, log: OpenLog) {
  const failure = ioFailure(error, 'append to the log', log.place.logPath)
  try {
    await log.file.truncate(log.size)
    await log.file.sync()
    return failure
  } catch (second) {
    const { message } = ioFailure(second, 'take the half-written lines back', log.place.logPath)
    return { ...failure, message: `${failure.message} ${message}` }
  }
}

function foldInbox(inbox: Inbox, events: readonly SessionEvent[]): Inbox {
  return events.reduce((each, event) => (event.type === INBOX_EVENT ? applySplice(each, event.data) : each), inbox)
}

/** Gives drafts the numbers that follow the log's last event; a number that one already has does not count. */
export function numbered(drafts: readonly EventDraft[], lastSeq: number): SessionEvent[] {
  return drafts.map(({ type, time, data, ignorable, surfaceOp, sourceEventSeqs }, index) => ({
    type,
    seq: lastSeq + 1 + index,
    time,
    data,
    ...(ignorable === undefined ? {} : { ignorable }),
    ...(surfaceOp === undefined ? {} : { surfaceOp }),
    ...(sourceEventSeqs === undefined ? {} : { sourceEventSeqs }),
  }))
}
