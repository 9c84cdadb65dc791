import { randomUUID } from 'node:crypto'
import { toolAnswer } from './tool-answer.ts'
import type { LogWriter } from './log-writer.ts'
import type { SampleStep } from './turns.ts'

export interface StepContext {
  readonly turn: number
  readonly provider: string
  readonly model: string
  readonly cwd: string
  readonly fill: (text: string) => string
}

type Block =
  | { readonly type: 'reasoning' | 'text'; readonly text: string }
  | { readonly type: 'tool-call'; readonly id: string; readonly name: string; readonly arguments: string }

/** A streamed piece: so many letters, so many ms apart. */
const PIECE = 48
const PIECE_EVERY = 35
/** The size of the part of a request that every session has: system prompt and tools, in tokens. */
const COMMON_TOKENS = 8_200
const LETTERS_PER_TOKEN = 3.6

/**
 * Writes what stands between a step's start and its end: the streamed pieces, the message they make, and each call with its result.
 * @returns false where a call has no result: the log ends there.
 */
export function writeStep(log: LogWriter, step: SampleStep, context: StepContext & { readonly step: number }): boolean {
  const at = { turn: context.turn, step: context.step }
  const calls = step.calls.map((call, place) => ({
    ...call,
    id: `call_${context.turn}_${context.step}_${place}`,
    text: JSON.stringify(call.arguments, (_, value: unknown) =>
      typeof value === 'string' ? context.fill(value) : value,
    ),
  }))
  const blocks: Block[] = [
    ...(step.reasoning === undefined ? [] : [{ type: 'reasoning' as const, text: context.fill(step.reasoning) }]),
    ...(step.text === undefined ? [] : [{ type: 'text' as const, text: context.fill(step.text) }]),
    ...calls.map((call) => ({ type: 'tool-call' as const, id: call.id, name: call.tool, arguments: call.text })),
  ]
  const usage = usageOf(blocks, context)
  const sourceEventSeqs = stream(log, blocks, usage, at)
  const source = { kind: 'model', provider: context.provider, model: context.model }
  const message = { role: 'assistant', content: blocks, source, id: randomUUID() }
  log.add('assistant/message', { ...at, message, usage }, { sourceEventSeqs, surfaceOp: 'append' })
  for (const call of calls) {
    const seq = log.add('tool/call', { ...at, callId: call.id, name: call.tool, arguments: call.text })
    if (!call.result) return false
    log.wait(call.result.took)
    if (call.todos) log.add('todo/write', { todos: call.todos })
    const { text, meta } = toolAnswer(call.tool, JSON.parse(call.text), context.fill(call.result.text))
    const block = {
      type: 'tool-result',
      toolCallId: call.id,
      content: [{ type: 'text', text }],
      isError: call.result.failed,
    }
    const answer = { source: { kind: 'tool', callId: call.id }, content: [block], role: 'user', id: randomUUID() }
    log.add(
      'tool/result',
      { ...at, message: answer, ...(meta === undefined ? {} : { meta }) },
      { sourceEventSeqs: [seq], surfaceOp: 'append' },
    )
  }
  return true
}

function stream(log: LogWriter, blocks: readonly Block[], usage: object, at: object): number[] {
  const seqs: number[] = []
  const chunk = (data: object) => {
    seqs.push(log.add('assistant/chunk', { ...at, chunk: data }))
  }
  for (const [index, block] of blocks.entries()) {
    chunk({ type: 'block-start', index, blockType: block.type })
    for (const piece of pieces(block.type === 'tool-call' ? block.arguments : block.text)) {
      log.wait(PIECE_EVERY)
      if (block.type === 'tool-call') {
        chunk({ type: 'tool-call-delta', index, id: block.id, name: block.name, argumentsDelta: piece })
      } else {
        chunk({ type: `${block.type}-delta`, index, text: piece })
      }
    }
  }
  for (const [index, block] of blocks.entries()) chunk({ type: 'block-end', index, block })
  chunk({ type: 'usage', usage })
  chunk({ type: 'finish', reason: { kind: blocks.at(-1)?.type === 'tool-call' ? 'tool-calls' : 'stop' } })
  return seqs
}

/** Cut between code points, so that no piece ends in half a letter. */
function pieces(text: string): string[] {
  const letters = Array.from(text)
  const cut: string[] = []
  for (let at = 0; at < letters.length; at += PIECE) cut.push(letters.slice(at, at + PIECE).join(''))
  return cut
}

function usageOf(blocks: readonly Block[], { turn, step }: StepContext & { readonly step: number }): object {
  const tokens = (some: readonly Block[]) =>
    Math.ceil(some.reduce((sum, block) => sum + JSON.stringify(block).length, 0) / LETTERS_PER_TOKEN)
  const reasoningTokens = tokens(blocks.filter((block) => block.type === 'reasoning'))
  const outputTokens = tokens(blocks)
  // What came before is read from the provider's cache, and grows with the conversation.
  const cacheReadTokens = Math.round(COMMON_TOKENS * (1 + (turn * 3 + step - 4) * 0.15))
  return { inputTokens: 420 + outputTokens, outputTokens, cacheReadTokens, reasoningTokens }
}
