import { open, type FileHandle } from 'node:fs/promises'
import { fail, ok, type Result } from '../../shared/result.ts'
import type { EventDraft, SessionEvent } from '../../shared/session-event.ts'
import { toolError } from '../../shared/tool-error.ts'
import { envelopeFault, isUnderstood } from './event.ts'
import { buildHeader, headerLine, readHeader } from './header.ts'
import { promptDraft, titleDraft } from './inbox.ts'
import { numbered } from './log.ts'
import { copySeed, seedSize, writeAll } from './seed.ts'
import type { AdoptedSession, Boundary, NewSession, SessionPlace } from './session-tree.ts'

const PRIVATE = 0o600
/** Adopted events are written in pieces of about this size. */
const BATCH = 1024 * 1024

/** What a new session has from its parent. */
export interface Parentage {
  readonly logPath: string
  readonly delegationDepth: number
}

/**
 * Writes and fsyncs the log of a new session (design §3): header; for a fork the seed, the closer of an open turn and
 * `session/end-seed`; then the model asked for, the title, and the prompt in the inbox.
 * @returns `log_changed` if the parent's log got shorter; `cancelled`.
 * @throws the system's error.
 */
export async function writeNewLog(
  logPath: string,
  session: NewSession,
  place: SessionPlace,
  parent: Parentage | undefined,
  signal?: AbortSignal,
): Promise<Result<void>> {
  const boundary = place.kind === 'fork' ? session.boundary : undefined
  // A fork's header always says how much it has from its parent, also if that is nothing.
  const nothing = place.kind === 'fork' ? { seedLength: 0, length: 0 } : undefined
  const seed = boundary ? { seedLength: boundary.seedLength, length: seedSize(boundary) } : nothing
  const header = buildHeader(session, place, parent?.delegationDepth ?? 0, seed)
  return writeLog(logPath, signal, async (file) => {
    await writeAll(file, Buffer.from(headerLine(header)))
    if (boundary && parent) {
      const copied = await copySeed(parent.logPath, boundary, file, signal)
      if (!copied.ok) return copied
    }
    const own = numbered(
      [...closers(boundary, session.createdAt), ...ownDrafts(session)],
      (boundary?.seedLength ?? 0) - 1,
    )
    await writeAll(file, linesOf(own))
    return ok(undefined)
  })
}

/** A fork's first own records: the end of a turn that was open at the boundary, and of the seed. */
function closers(boundary: Boundary | undefined, createdAt: number): EventDraft[] {
  if (!boundary || boundary.seedLength === 0) return []
  const { openTurn, time = createdAt } = boundary
  const closer: EventDraft = { type: 'turn/end', time, data: { turn: openTurn, reason: { kind: 'interrupted' } } }
  const end: EventDraft = { type: 'session/end-seed', time: createdAt, data: {} }
  return openTurn === undefined ? [end] : [closer, end]
}

function ownDrafts(session: NewSession): EventDraft[] {
  const { createdAt: time, model, title, prompt, notes = [] } = session
  return [
    ...notes,
    ...(model ? [{ type: 'session-tree/model', time, data: model, ignorable: true as const }] : []),
    ...(title === undefined ? [] : [titleDraft(title, time)]),
    promptDraft(prompt, 0, time),
  ]
}

/**
 * Writes and fsyncs the log of a session that comes from elsewhere, event by event; each is held against DSH's rules, so
 * that what is published can be loaded.
 * @returns `layout_mismatch` if the header does not fit the place, `log_damaged` or `unknown_event` for an event DSH would
 * refuse, `events_not_contiguous`, `cancelled`.
 * @throws the system's error, and whatever the events' source throws.
 */
export async function writeAdoptedLog(
  logPath: string,
  session: AdoptedSession,
  place: SessionPlace,
  signal?: AbortSignal,
): Promise<Result<void>> {
  const line = headerLine(session.header)
  const { problem } = readHeader(line, place)
  if (problem) return fail(problem)
  return writeLog(logPath, signal, async (file) => {
    let pending = [line]
    let length = line.length
    let seq = 0
    for await (const event of session.events) {
      const fault = adoptionFault(event, seq, place)
      if (fault) return fail(fault)
      const text = `${JSON.stringify(event)}\n`
      pending.push(text)
      length += text.length
      seq++
      if (length < BATCH) continue
      signal?.throwIfAborted()
      await writeAll(file, Buffer.from(pending.join('')))
      pending = []
      length = 0
    }
    await writeAll(file, Buffer.from(pending.join('')))
    return ok(undefined)
  })
}

function adoptionFault(event: SessionEvent, expected: number, place: SessionPlace) {
  const fault = envelopeFault(event)
  if (fault) return toolError('log_damaged', `An event of ${place.id} ${fault} (after seq ${expected - 1}).`)
  if (event.seq !== expected) {
    return toolError(
      'events_not_contiguous',
      `An event of ${place.id} has seq ${event.seq} where ${expected} was expected.`,
      {
        field: 'seq',
      },
    )
  }
  if (isUnderstood(event)) return undefined
  return toolError(
    'unknown_event',
    `${place.id} contains event type "${event.type}" (seq ${event.seq}), which is unknown here and not marked ignorable.`,
  )
}

async function writeLog(
  logPath: string,
  signal: AbortSignal | undefined,
  write: (file: FileHandle) => Promise<Result<void>>,
): Promise<Result<void>> {
  const file = await open(logPath, 'wx', PRIVATE)
  try {
    const written = await write(file)
    if (!written.ok) return written
    signal?.throwIfAborted()
    await file.sync()
    return written
  } catch (error) {
    if (signal?.aborted && error === signal.reason)
      return fail(toolError('cancelled', 'Cancelled. Nothing was created.'))
    throw error
  } finally {
    await file.close()
  }
}

function linesOf(events: readonly SessionEvent[]): Buffer {
  return Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join(''))
}
