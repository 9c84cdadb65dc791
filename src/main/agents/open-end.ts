import type { Result } from '../../shared/result.ts'
import { ok } from '../../shared/result.ts'
import type { EventDraft, SessionEvent } from '../../shared/session-event.ts'
import type { SessionId } from '../../shared/session-id.ts'
import { asRecord } from '../session-tree/event.ts'
import { numbered } from '../session-tree/log.ts'
import type { SessionTree } from '../session-tree/session-tree.ts'
import { stepClosers, type OpenCall, type OpenEnd } from './closers.ts'
import { endDraft, TURN_EVENT } from './own-events.ts'

const INTERRUPTED = 'interrupted: Treeline ended in the middle of the turn'

/** A log that ends inside a turn. */
export interface OpenLogEnd extends OpenEnd {
  /** True if one of our agents ran the turn. */
  readonly isOwn: boolean
  readonly lastSeq: number
  /** The last event's time, in milliseconds since the epoch: closers carry it. */
  readonly time: number
}

/**
 * Reads a whole log for what is open at its end, as DSH's own repair does (dsh-format §9).
 * @returns undefined where nothing is; else fails as the log does.
 */
export async function readOpenEnd(tree: SessionTree, id: SessionId): Promise<Result<OpenLogEnd | undefined>> {
  const log = await tree.load(id)
  if (!log.ok) return log
  const seedLength = log.value.header.seedLength ?? 0
  const calls = new Map<string, OpenCall>()
  let turn: number | undefined
  let step: number | undefined
  let isOwn = false
  let marked: number | undefined
  let last: SessionEvent | undefined
  for await (const event of log.value.events) {
    if (!event.ok) return event
    last = event.value
    const data = asRecord(last.data)
    switch (last.type) {
      case TURN_EVENT:
        if (last.seq >= seedLength) marked = numberOf(data?.['turn'])
        break
      case 'turn/start':
        turn = numberOf(data?.['turn'])
        isOwn = turn !== undefined && turn === marked
        step = undefined
        calls.clear()
        break
      case 'turn/end':
        turn = undefined
        calls.clear()
        break
      case 'step/start':
        step = numberOf(data?.['step'])
        break
      case 'step/end':
        step = undefined
        break
      default:
        noteCalls(calls, last, data)
    }
  }
  if (turn === undefined || !last) return ok(undefined)
  return ok({ turn, step, calls: [...calls.values()], isOwn, lastSeq: last.seq, time: last.time })
}

function noteCalls(calls: Map<string, OpenCall>, { type, seq }: SessionEvent, data: ReturnType<typeof asRecord>): void {
  const message = asRecord(data?.['message'])
  const step = numberOf(data?.['step']) ?? 1
  if (type === 'assistant/message' && Array.isArray(message?.['content'])) {
    for (const block of message['content']) {
      const { type: kind, id } = asRecord(block) ?? {}
      if (kind === 'tool-call' && typeof id === 'string') calls.set(id, { callId: id, step, started: false })
    }
  }
  const callId = data?.['callId']
  if (type === 'tool/call' && typeof callId === 'string')
    calls.set(callId, { callId, step, started: true, callSeq: seq })
  const answers = asRecord(message?.['source'])?.['callId']
  if (type === 'tool/result' && typeof answers === 'string') calls.delete(answers)
}

/**
 * Closes the turn a log ends in, exactly as DSH does: results of open calls, the step, the turn as interrupted, all with the
 * last event's time. Behind a turn of ours stands how the session ended.
 */
export async function closeOpenEnd(tree: SessionTree, id: SessionId, end: OpenLogEnd): Promise<Result<unknown>> {
  const { turn, time, lastSeq } = end
  const closers: EventDraft[] = [
    ...stepClosers(end, lastSeq + 1, time),
    { type: 'turn/end', time, data: { turn, reason: { kind: 'interrupted' } } },
    ...(end.isOwn ? [endDraft({ reason: 'killed', outcome: INTERRUPTED, time })] : []),
  ]
  return tree.append(id, numbered(closers, lastSeq))
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
