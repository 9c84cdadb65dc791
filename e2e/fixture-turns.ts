import { randomUUID } from 'node:crypto'

/** An event before it has a place in a log. */
export interface UnplacedEvent {
  readonly type: string
  readonly data: unknown
  readonly surfaceOp?: 'append'
  /** How many events before this one the event stands that it answers. */
  readonly cites?: number
}

interface ToolUse {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly result: string
  readonly isError?: boolean
}

interface Step {
  readonly text?: string
  readonly reasoning?: string
  readonly tools?: readonly ToolUse[]
}

export interface Turn {
  readonly prompt: string
  /** Default: one step with a short answer. */
  readonly steps?: readonly Step[]
  /**
   * How it ends; default `completed`. `open`: it does not, after its last whole step. `in-step`: nor does its last step, whose
   * tools are never answered: a process was killed there.
   */
  readonly end?: 'completed' | 'aborted' | 'error' | 'interrupted' | 'open' | 'in-step'
}

const source = { kind: 'model', provider: 'deepseek-official', model: 'deepseek-v4-flash' }

const reasons = {
  completed: { kind: 'completed' },
  aborted: { kind: 'aborted', reason: { kind: 'user' } },
  error: {
    kind: 'error',
    error: { message: 'the model server refused the request', code: 'INVALID_REQUEST', status: 400 },
  },
  interrupted: { kind: 'interrupted' },
}

/** The events of one turn as DSH writes them: the prompt through the inbox, then steps with messages, calls and results. */
export function turnEvents(turn: Turn, number: number): UnplacedEvent[] {
  const steps = turn.steps ?? [{ text: 'Done.' }]
  const end = turn.end ?? 'completed'
  const message = {
    content: [{ type: 'text', text: turn.prompt }],
    source: { kind: 'user' },
    role: 'user',
    id: randomUUID(),
  }
  return [
    { type: 'agent/inbox/spliced', data: { target: 'next-turn', start: 0, inserted: [message] } },
    { type: 'turn/start', data: { turn: number } },
    { type: 'agent/inbox/spliced', data: { target: 'next-turn', start: 0, removedCount: 1, inserted: [] } },
    ...steps.flatMap((step, index) => {
      const place = { turn: number, step: index + 1 }
      const cut = end === 'in-step' && index === steps.length - 1
      return [
        { type: 'step/start', data: place },
        ...(index === 0 ? [{ type: 'user/message', data: message, surfaceOp: 'append' as const }] : []),
        ...stepEvents(step, place, cut),
        ...(cut ? [] : [{ type: 'step/end', data: place }]),
      ]
    }),
    ...(end === 'open' || end === 'in-step'
      ? []
      : [{ type: 'turn/end', data: { turn: number, reason: reasons[end] } }]),
  ]
}

function stepEvents(step: Step, place: { turn: number; step: number }, cut: boolean): UnplacedEvent[] {
  const calls = (step.tools ?? []).map((tool) => ({ tool, id: `call_${randomUUID().slice(0, 8)}` }))
  const content = [
    ...(step.reasoning === undefined ? [] : [{ type: 'reasoning', text: step.reasoning }]),
    ...(step.text === undefined ? [] : [{ type: 'text', text: step.text }]),
    ...calls.map(({ tool, id }) => ({
      type: 'tool-call',
      id,
      name: tool.name,
      arguments: JSON.stringify(tool.arguments),
    })),
  ]
  const answer = {
    type: 'assistant/message',
    data: {
      ...place,
      message: { role: 'assistant', content, source, id: randomUUID() },
      usage: { inputTokens: 1200, outputTokens: 60, cacheReadTokens: 4096, reasoningTokens: 0 },
    },
    surfaceOp: 'append' as const,
  }
  const uses = calls.flatMap(({ tool, id }) => [
    {
      type: 'tool/call',
      data: { ...place, callId: id, name: tool.name, arguments: JSON.stringify(tool.arguments) },
    },
    ...(cut ? [] : [toolResult(tool, id, place)]),
  ])
  return [answer, ...uses]
}

function toolResult(tool: ToolUse, id: string, place: { turn: number; step: number }): UnplacedEvent {
  const block = {
    type: 'tool-result',
    toolCallId: id,
    content: [{ type: 'text', text: tool.result }],
    isError: tool.isError ?? false,
  }
  return {
    type: 'tool/result',
    data: {
      ...place,
      message: { source: { kind: 'tool', callId: id }, content: [block], role: 'user', id: randomUUID() },
    },
    cites: 1,
    surfaceOp: 'append',
  }
}
