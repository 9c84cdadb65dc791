import type { SessionEvent } from '../../shared/session-event.ts'

/**
 * DSH 0.1.0-rc.8's own vocabulary (dsh-format §5, `KNOWN_SESSION_EVENT_TYPES`). A type outside it must be `ignorable`,
 * or DSH refuses the whole session. A test holds this list equal to the package's.
 */
export const KNOWN_EVENT_TYPES: ReadonlySet<string> = new Set([
  'agent-preset/selected',
  'agent/inbox/spliced',
  'approval/asked',
  'approval/decided',
  'approval/policy',
  'assistant/chunk',
  'assistant/message',
  'command/done',
  'command/run',
  'compaction/end',
  'compaction/prune',
  'compaction/start',
  'compaction/summary',
  'feedback/record',
  'goal/change',
  'hook/invoked',
  'hook/result',
  'llm/retry',
  'llm/retry-started',
  'permission/preset',
  'plan/mode',
  'request/context',
  'request/header',
  'sandbox/mode',
  'schedule/change',
  'session/end-seed',
  'session/title',
  'session/title-llm-request',
  'step/end',
  'step/start',
  'subagent/descriptor',
  'team/member',
  'team/message/delivered',
  'team/message/queued',
  'team/task',
  'todo/write',
  'tool-workflow/agent-end',
  'tool-workflow/agent-start',
  'tool-workflow/run-end',
  'tool-workflow/run-start',
  'tool/call',
  'tool/code-dispatch',
  'tool/code-dispatch-start',
  'tool/result',
  'turn/end',
  'turn/start',
  'user/message',
  'web/deepseek-search-llm-request',
])

const ENVELOPE_KEYS: ReadonlySet<string> = new Set([
  'type',
  'seq',
  'time',
  'data',
  'ignorable',
  'surfaceOp',
  'sourceEventSeqs',
])

const SURFACE_TYPES: ReadonlySet<string> = new Set(['user/message', 'assistant/message', 'tool/result'])

/** A plain object, as opposed to null, an array or a primitive. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isRecord(value) ? value : undefined
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A sequence number as DSH takes it. */
function isSeq(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

/**
 * Checks the envelope exactly as DSH does (dsh-format §4): allowed keys, types, `ignorable`, surface marks.
 * Vocabulary is not checked here: see {@link isUnderstood}.
 * @returns the reason it is refused, to follow "the event", or undefined.
 */
export function envelopeFault(value: unknown): string | undefined {
  const event = asRecord(value)
  if (!event) return 'is not a JSON object'
  for (const key in event) if (!ENVELOPE_KEYS.has(key)) return `has the unknown field "${key}"`
  if (typeof event['type'] !== 'string') return 'has no type'
  if (!isSeq(event['seq'])) return 'has no valid seq'
  if (!Number.isSafeInteger(event['time'])) return 'has no whole-numbered time'
  if (event['data'] === undefined) return 'has no data'
  if (event['ignorable'] !== undefined && event['ignorable'] !== true) return 'has an ignorable that is not true'
  return surfaceFault(event, event['type'], event['seq'])
}

/** True if the envelope is one that DSH takes. */
export function isEnvelope(value: unknown): value is SessionEvent {
  return envelopeFault(value) === undefined
}

function surfaceFault(event: Readonly<Record<string, unknown>>, type: string, seq: number): string | undefined {
  const { surfaceOp, sourceEventSeqs } = event
  if (!SURFACE_TYPES.has(type)) {
    if (surfaceOp !== undefined) return `of type ${type} cannot carry surfaceOp`
    return sourceEventSeqs === undefined ? undefined : `of type ${type} cannot carry sourceEventSeqs`
  }
  if (surfaceOp === undefined) return `of type ${type} needs surfaceOp`
  if (surfaceOp !== 'append' && !isReplace(surfaceOp)) return `of type ${type} has an invalid surfaceOp`
  if (sourceEventSeqs === undefined) return undefined
  if (!Array.isArray(sourceEventSeqs)) return 'has sourceEventSeqs that are no list'
  if (sourceEventSeqs.length === 0 && type !== 'assistant/message') return 'has empty sourceEventSeqs'
  if (!sourceEventSeqs.every((source) => isSeq(source) && source < seq)) return 'cites an event that is not earlier'
  return new Set(sourceEventSeqs).size === sourceEventSeqs.length ? undefined : 'cites an event twice'
}

function isReplace(value: unknown): boolean {
  const operation = asRecord(value)
  return (
    operation !== undefined &&
    Object.keys(operation).length === 3 &&
    operation['op'] === 'replace' &&
    isSeq(operation['start']) &&
    isSeq(operation['end'])
  )
}

/** True if DSH reads on past this event: it knows the type, or the writer marked it ignorable. */
export function isUnderstood(event: Pick<SessionEvent, 'type' | 'ignorable'>): boolean {
  return KNOWN_EVENT_TYPES.has(event.type) || event.ignorable === true
}
