import { fields, items, stepOf, text } from './event-data.ts'

/** What was streamed of a step for which no whole message has come. */
export interface PartialAnswer {
  /** Where it stands among the blocks. */
  readonly index: number
  readonly key: string
  revision: string
  reasoning: string
  answer: string
}

/** Streamed pieces, kept per step until the message that holds them all is there (dsh-format §5, §9). */
export interface PartialFold {
  /** Takes the pieces of an `assistant/chunk`, or of a packed row of them. */
  add(type: string, data: unknown, offset: number, index: number): void
  /** The step's message is there: its pieces are not needed. */
  complete(data: unknown): void
  /** What is left over, the last first, so that it can be put among the blocks without moving the others' places. */
  left(): readonly PartialAnswer[]
}

export function foldPartials(): PartialFold {
  const steps = new Map<string, PartialAnswer>()
  return {
    add: (type, data, offset, index) => {
      const { chunk, texts } = fields(data)
      const piece = fields(chunk)
      const kind = type === 'assistant/chunk' ? text(piece['type']) : type
      const isReasoning = kind === 'reasoning-delta' || kind === 'reasoning-chunks'
      if (!isReasoning && kind !== 'text-delta' && kind !== 'text-chunks') return
      const words = type === 'assistant/chunk' ? text(piece['text']) : items(texts).map(text).join('')
      const id = stepOf(data)
      let partial = steps.get(id)
      if (!partial) {
        partial = { index, key: `partial:${offset}`, revision: '', reasoning: '', answer: '' }
        steps.set(id, partial)
      }
      partial.revision = String(offset)
      if (isReasoning) partial.reasoning += words
      else partial.answer += words
    },
    complete: (data) => {
      steps.delete(stepOf(data))
    },
    left: () => [...steps.values()].toReversed(),
  }
}
