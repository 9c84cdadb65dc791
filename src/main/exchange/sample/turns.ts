import type { SampleBlock, SampleTodo } from './template.ts'

/** A template's blocks in DSH's terms: turns of steps (dsh-format §6). */
export interface SampleTurn {
  readonly prompt: string
  /** How long after the turn before it, in ms. */
  readonly pause: number
  readonly steps: readonly SampleStep[]
  readonly end: Extract<SampleBlock, { kind: 'failed' | 'stopped' | 'open' }> | undefined
}

export interface SampleStep {
  readonly reasoning?: string
  readonly text?: string
  readonly calls: readonly SampleCall[]
}

interface SampleCall {
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
  /** Absent where the log ends before it. */
  readonly result?: { readonly text: string; readonly failed: boolean; readonly took: number }
  readonly todos?: readonly SampleTodo[]
}

type WaitingPrompt = Extract<SampleBlock, { kind: 'waits' }>

const TODO_RESULT = { text: 'Todos updated.', failed: false, took: 4 }

type Open<Shape> = { -readonly [Key in keyof Shape]: Shape[Key] }
type OpenStep = Omit<Open<SampleStep>, 'calls'> & { calls: Open<SampleCall>[] }
type OpenTurn = Omit<Open<SampleTurn>, 'steps'> & { steps: OpenStep[] }

/**
 * Groups blocks: `you` begins a turn; what the model says or thinks after a call's result begins a step; calls that follow each other belong
 * to one step, as a model makes several at once.
 */
export function toTurns(blocks: readonly SampleBlock[]): {
  readonly turns: readonly SampleTurn[]
  readonly waiting: readonly WaitingPrompt[]
} {
  const turns: OpenTurn[] = []
  const waiting: WaitingPrompt[] = []
  for (const block of blocks) {
    if (block.kind === 'waits') {
      waiting.push(block)
    } else if (block.kind === 'you') {
      turns.push({ prompt: block.text, pause: block.pause, steps: [], end: undefined })
    } else {
      const turn = turns.at(-1)
      if (!turn) throw new Error(`A session cannot begin with "${block.kind}"`)
      addTo(turn, block)
    }
  }
  return { turns, waiting }
}

function addTo(turn: OpenTurn, block: Exclude<SampleBlock, { kind: 'waits' | 'you' }>): void {
  switch (block.kind) {
    case 'thinks':
      stepFor(turn, 'words').reasoning = block.text
      return
    case 'says':
      stepFor(turn, 'words').text = block.text
      return
    case 'call':
      stepFor(turn, 'call').calls.push({ tool: block.tool, arguments: block.arguments })
      return
    case 'todo':
      stepFor(turn, 'call').calls.push({
        tool: 'todo_write',
        arguments: { todos: block.todos },
        todos: block.todos,
        result: TODO_RESULT,
      })
      return
    case 'result': {
      const call = turn.steps.at(-1)?.calls.find((each) => each.result === undefined)
      if (!call) throw new Error('A result without a call')
      call.result = { text: block.text, failed: block.failed, took: block.took }
      return
    }
    default:
      turn.end = block
  }
}

function stepFor(turn: OpenTurn, what: 'words' | 'call'): OpenStep {
  const last = turn.steps.at(-1)
  const full = last === undefined || (what === 'words' && (last.calls.length > 0 || last.text !== undefined))
  // A second round of calls after all results of the first is the model's next step, even where it says nothing.
  const answered = what === 'call' && last !== undefined && last.calls.some((call) => call.result && !call.todos)
  if (!full && !answered) return last
  const step: OpenStep = { calls: [] }
  turn.steps.push(step)
  return step
}
