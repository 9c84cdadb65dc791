import type { SessionEvent } from '../../shared/session-event.ts'
import type { SessionId } from '../../shared/session-id.ts'
import type { ToolError } from '../../shared/tool-error.ts'
import type { SessionTree } from '../session-tree/session-tree.ts'
import { compareEvents } from './compare-events.ts'
import { outcomeOf, type Outcome } from './import-outcome.ts'
import type { Placement } from './placement.ts'
import { markSeed } from './seed-bytes.ts'
import type { ForeignSession } from './source.ts'

/** An append is one write and one fsync: large enough to be few, small enough to be held and to stop between. */
const BATCH_EVENTS = 1000
const BATCH_CHARACTERS = 1024 * 1024

/** Reads a session to its end without writing: what a dry run does in the place of {@link adoptSession}. */
export async function checkSession(session: ForeignSession, signal?: AbortSignal): Promise<Outcome> {
  for await (const event of session.events(signal)) if (!event.ok) return outcomeOf(event.error)
  return { kind: 'imported' }
}

/** Publishes a session that is not in the tree yet, whole or not at all: damage found on the way leaves nothing. */
export async function adoptSession(
  tree: SessionTree,
  session: ForeignSession,
  placement: Placement,
  signal?: AbortSignal,
): Promise<Outcome> {
  const stop = new AbortController()
  let failure: ToolError | undefined
  async function* events(): AsyncGenerator<SessionEvent> {
    for await (const event of session.events(signal)) {
      if (!event.ok) {
        failure = event.error
        stop.abort()
        return
      }
      yield event.value
    }
  }
  const header = await markSeed(placement.header, session.events(signal))
  const adopted = await tree.adopt(
    {
      header,
      ...(placement.parent === undefined ? {} : { parent: placement.parent }),
      events: events(),
    },
    signal ? AbortSignal.any([signal, stop.signal]) : stop.signal,
  )
  if (failure) return outcomeOf(failure)
  return adopted.ok ? { kind: 'imported' } : outcomeOf(adopted.error)
}

/**
 * Brings a session that is in the tree up to date: where ours is a prefix of the source, what follows is appended; where
 * they part, nothing changes and the place is told.
 */
export async function extendSession(
  tree: SessionTree,
  id: SessionId,
  session: ForeignSession,
  options: { readonly dryRun: boolean; readonly signal?: AbortSignal | undefined },
): Promise<Outcome> {
  const ours = await tree.load(id)
  if (!ours.ok) return outcomeOf(ours.error)
  const compared = await compareEvents(ours.value.events, session.events(options.signal))
  switch (compared.kind) {
    case 'same':
    case 'first-goes-on':
      return { kind: 'unchanged' }
    case 'unreadable':
      return outcomeOf(compared.error)
    case 'different':
      return {
        kind: 'diverged',
        message:
          `${ours.value.place.logPath} and ${session.path} are the same up to event ${compared.common} and differ from there: ` +
          'the session went on in both places. Nothing was changed.',
      }
    case 'second-goes-on':
      break
  }
  return options.dryRun ? { kind: 'extended' } : appendRest(tree, id, session, compared.common, options.signal)
}

async function appendRest(
  tree: SessionTree,
  id: SessionId,
  session: ForeignSession,
  from: number,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  let batch: SessionEvent[] = []
  let characters = 0
  for await (const event of session.events(signal)) {
    if (!event.ok) return outcomeOf(event.error)
    if (event.value.seq < from) continue
    batch.push(event.value)
    characters += JSON.stringify(event.value).length
    if (batch.length < BATCH_EVENTS && characters < BATCH_CHARACTERS) continue
    if (signal?.aborted) return { kind: 'cancelled' }
    const appended = await tree.append(id, batch)
    if (!appended.ok) return outcomeOf(appended.error)
    batch = []
    characters = 0
  }
  if (batch.length === 0) return { kind: 'extended' }
  if (signal?.aborted) return { kind: 'cancelled' }
  const appended = await tree.append(id, batch)
  return appended.ok ? { kind: 'extended' } : outcomeOf(appended.error)
}
