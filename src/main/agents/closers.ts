import type { EventDraft } from '../../shared/session-event.ts'

/** A tool call that has no result yet. `started`: a `tool/call` was logged, not only the message that asks for it. */
export interface OpenCall {
  readonly callId: string
  readonly step: number
  readonly started: boolean
  /** The seq of its `tool/call`, where it is known. */
  readonly callSeq?: number
}

/** What is open at the end of a log: the turn, maybe a step, and calls in the order they were asked for. */
export interface OpenEnd {
  readonly turn: number
  readonly step: number | undefined
  readonly calls: readonly OpenCall[]
}

const UNKNOWN_OUTCOME =
  'The tool call was interrupted after it was recorded, but no result was durably recorded. Its outcome is unknown. ' +
  'Decide whether to retry from the tool semantics: retry only if the operation is read-only or idempotent; if it may have ' +
  'side effects, first verify external state or ask the user. Do not retry blindly.'
const NOT_STARTED =
  'The tool call was interrupted before the Harness recorded it as started. Retry it if it is still needed.'

/**
 * The events that close calls and step (dsh-format §9), word for word as DSH writes them, so that either program leaves the
 * same log. The end of the turn follows them.
 * @param seq the seq that the first of them gets: a result's message id is made of it.
 */
export function stepClosers({ turn, step, calls }: OpenEnd, seq: number, time: number): EventDraft[] {
  const results = calls.map((call, index): EventDraft => {
    const { callId, started, callSeq } = call
    const block = {
      type: 'tool-result',
      toolCallId: callId,
      isError: true,
      content: [{ type: 'text', text: started ? UNKNOWN_OUTCOME : NOT_STARTED }],
    }
    const id = `interrupted-tool-result-${callId}-${seq + index}`
    return {
      type: 'tool/result',
      time,
      data: {
        turn,
        step: call.step,
        message: { id, role: 'user', source: { kind: 'tool', callId }, content: [block] },
        error: started
          ? { name: 'ToolOutcomeUnknownError', code: 'TOOL_OUTCOME_UNKNOWN' }
          : { name: 'ToolNotStartedError', code: 'TOOL_NOT_STARTED' },
      },
      surfaceOp: 'append',
      ...(callSeq === undefined ? {} : { sourceEventSeqs: [callSeq] }),
    }
  })
  return [...results, ...(step === undefined ? [] : [{ type: 'step/end', time, data: { turn, step } }])]
}
