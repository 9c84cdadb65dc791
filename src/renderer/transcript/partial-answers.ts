import { fields, stepOf, text } from './event-data.ts'

/** What was streamed of a step for which no whole message has come. */
interface PartialAnswer {
  /** Where it stands among the blocks. */
  readonly index: number
  readonly key: string
  revision: string
  reasoning: string
  answer: string
  /** Its turn has ended: nothing more comes. */
  isOver: boolean
}

/** Streamed pieces, kept per step until the message that holds them all is there (dsh-format §5, §9). */
export interface PartialFold {
  /** Takes an `assistant/chunk`; main has unpacked rows that hold several. */
  add(data: unknown, offset: number, index: number): void
  /** The step's message is there: its pieces are not needed. */
  complete(data: unknown): void
  /** A turn has ended. */
  endTurn(): void
  /** What is left over, the last first, so that it can be put among the blocks without moving the others' places. */
  left(): readonly PartialAnswer[]
}

export function foldPartials(): PartialFold {
  const steps = new Map<string, PartialAnswer>()
  return {
    add: (data, offset, index) => {
      const chunk = fields(fields(data)['chunk'])
      const isReasoning = chunk['type'] === 'reasoning-delta'
      if (!isReasoning && chunk['type'] !== 'text-delta') return
      const words = text(chunk['text'])
      const id = stepOf(data)
      let partial = steps.get(id)
      if (!partial) {
        partial = { index, key: `partial:${offset}`, revision: '', reasoning: '', answer: '', isOver: false }
        steps.set(id, partial)
      }
      partial.revision = String(offset)
      if (isReasoning) partial.reasoning += words
      else partial.answer += words
    },
    complete: (data) => {
      steps.delete(stepOf(data))
    },
    endTurn: () => {
      for (const partial of steps.values()) partial.isOver = true
    },
    left: () => [...steps.values()].toReversed(),
  }
}
