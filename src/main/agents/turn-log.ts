import { randomUUID } from 'node:crypto'
import type { Result } from '../../shared/result.ts'
import type { EventDraft } from '../../shared/session-event.ts'
import type { ToolError } from '../../shared/tool-error.ts'
import type { TokenUsage, TurnLog } from './agent.ts'
import { createBatchWriter } from './batch-writer.ts'
import { stepClosers, type OpenCall } from './closers.ts'
import { fieldsOf } from './fields.ts'
import { LATE_RESULT_EVENT } from './own-events.ts'

/** The log of a turn at hand, with what only the host may do. */
export interface HostTurnLog extends TurnLog {
  /** An event that stands outside steps and calls, such as a question to a person. */
  add(type: string, data: unknown): void
  /** Closes what is open, and the turn; `after` stands behind its end. Resolves as `flushed` does. What is reported later is lost. */
  end(reason: unknown, after: readonly EventDraft[]): Promise<ToolError | undefined>
}

/** What the host is told while a turn is written. */
export interface TurnLogEvents {
  readonly onUsage: (usage: TokenUsage) => void
  /** Told before step `step` is opened. */
  readonly onStep: (step: number) => void
  readonly onFailure: (error: ToolError) => void
}

/**
 * The log of a turn whose beginning is on disk: `turn/start`, `step/start` of step 1, the person's message. What an agent
 * reports is put into DSH's shapes and order, so that DSH loads the log whatever the agent does: a call is announced by a
 * message before it is logged, a result belongs to a call, nothing stands outside a step.
 * @param parts.now milliseconds since the epoch.
 */
export function createTurnLog(parts: {
  readonly turn: number
  readonly append: (drafts: readonly EventDraft[]) => Promise<Result<unknown>>
  readonly now: () => number
  readonly events: TurnLogEvents
}): HostTurnLog {
  const { turn, now, events } = parts
  const writer = createBatchWriter(parts.append, events.onFailure)
  const calls = new Map<string, OpenCall>()
  let step: number | undefined = 1
  let lastStep = 1
  let isEmpty = true
  let isOver = false

  function write(type: string, data: unknown, more: Partial<EventDraft> = {}): void {
    if (!isOver) writer.add({ type, time: now(), data, ...more })
  }

  /** The open step's number; opens one where there is none. */
  function inStep(): number {
    if (step === undefined) {
      lastStep += 1
      step = lastStep
      events.onStep(step)
      write('step/start', { turn, step })
    }
    isEmpty = false
    return step
  }

  function endStep(): void {
    if (step === undefined || isEmpty) return
    for (const draft of stepClosers({ turn, step, calls: [...calls.values()] }, 0, now())) {
      write(draft.type, withFreshId(draft.data), draft.surfaceOp === undefined ? {} : { surfaceOp: draft.surfaceOp })
    }
    calls.clear()
    step = undefined
  }

  function announce(content: readonly unknown[], at: number): void {
    for (const block of content) {
      const { type, id } = fieldsOf(block)
      if (type === 'tool-call' && typeof id === 'string') calls.set(id, { callId: id, step: at, started: false })
    }
  }

  const log: HostTurnLog = {
    turn,
    add: write,
    startStep() {
      endStep()
      if (step !== undefined) return
      inStep()
      isEmpty = true
    },
    endStep,
    chunk: (chunk) => write('assistant/chunk', { turn, step: inStep(), chunk }),
    assistantMessage({ content, usage, interrupted, provider = 'agent', model = 'agent' }) {
      const at = inStep()
      const message = { role: 'assistant', content, source: { kind: 'model', provider, model }, id: randomUUID() }
      write(
        'assistant/message',
        { turn, step: at, message, ...(usage && { usage }), ...(interrupted && { interrupted }) },
        { surfaceOp: 'append', sourceEventSeqs: [] },
      )
      announce(content, at)
      if (usage) events.onUsage(usage)
    },
    toolCall({ callId, name, arguments: given }) {
      const at = inStep()
      if (!calls.has(callId)) {
        // DSH knows a call only from the message that asks for it.
        log.assistantMessage({ content: [{ type: 'tool-call', id: callId, name, arguments: given }] })
      }
      calls.set(callId, { callId, step: at, started: true })
      write('tool/call', { turn, step: at, callId, name, arguments: given })
    },
    toolResult({ callId, text, isError, error, meta }) {
      const call = calls.get(callId)
      if (!call) {
        write(LATE_RESULT_EVENT, { turn, callId, text, isError }, { ignorable: true })
        return
      }
      calls.delete(callId)
      const block = { type: 'tool-result', toolCallId: callId, content: [{ type: 'text', text }], isError }
      const message = { source: { kind: 'tool', callId }, content: [block], role: 'user', id: randomUUID() }
      write(
        'tool/result',
        { turn, step: call.step, message, ...(error && { error }), ...(meta !== undefined && { meta }) },
        { surfaceOp: 'append' },
      )
    },
    todos: (todos) => write('todo/write', { todos }),
    note(type, data) {
      const isObject = typeof data === 'object' && data !== null && !Array.isArray(data)
      const whole = isObject ? { turn, ...(step !== undefined && { step }), ...data } : data
      write(type, whole ?? null, { ignorable: true })
    },
    flushed: () => writer.flush(),
    end(reason, after) {
      isEmpty = false
      endStep()
      write('turn/end', { turn, reason })
      for (const { type, data, ...more } of after) write(type, data, more)
      isOver = true
      return writer.flush()
    },
  }
  return log
}

/** DSH makes the id from the event's place in the log, which is not known here. */
function withFreshId(data: unknown): unknown {
  const fields = fieldsOf(data)
  if (fields['message'] === undefined) return data
  return { ...fields, message: { ...fieldsOf(fields['message']), id: randomUUID() } }
}
