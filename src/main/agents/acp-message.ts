import type { TurnLog } from './agent.ts'
import { cutAt } from '../session-tree/own-words.ts'
import { createMasker, type Masker } from './masking.ts'

/** A message of the agent while it comes in pieces. */
export interface StreamedMessage {
  /** True if a piece with this id is a piece of it; agents need not give ids. */
  takes(id: string | undefined): boolean
  add(kind: 'text' | 'reasoning', piece: string, id?: string): void
  /** The whole message as DSH blocks, secrets masked. No piece may follow. */
  end(): readonly { readonly type: string; readonly text: string }[]
}

/** A message keeps so many letters; what comes beyond is counted. */
const MOST_LETTERS = 1_000_000
/** So many letters are shown while they come; a message that is longer is seen when it is whole. */
const MOST_STREAMED = 200_000

interface Block {
  readonly type: 'text' | 'reasoning'
  readonly masker: Masker
  text: string
}

/** @param log is told of each piece while it comes, as an `assistant/chunk`. */
export function createMessage(log: Pick<TurnLog, 'chunk'>, secrets: readonly string[]): StreamedMessage {
  const blocks: Block[] = []
  let messageId: string | undefined
  let letters = 0
  let omitted = 0

  function keep(block: Block, text: string): void {
    const kept = cutAt(text, Math.max(0, MOST_LETTERS - letters))
    omitted += text.length - kept.length
    if (kept === '') return
    block.text += kept
    letters += kept.length
    if (letters > MOST_STREAMED) return
    log.chunk({ type: `${block.type}-delta`, index: blocks.indexOf(block), text: kept })
  }

  function close(block: Block | undefined): void {
    if (block) keep(block, block.masker.end())
  }

  return {
    takes: (id) => id === undefined || messageId === undefined || id === messageId,
    add(type, piece, id) {
      messageId ??= id
      let block = blocks.at(-1)
      if (block?.type !== type) {
        close(block)
        block = { type, masker: createMasker(secrets), text: '' }
        blocks.push(block)
      }
      keep(block, block.masker.push(piece))
    },
    end() {
      close(blocks.at(-1))
      const whole = blocks.map(({ type, text }) => ({ type, text })).filter(({ text }) => text !== '')
      if (omitted === 0) return whole
      return [...whole, { type: 'text', text: `[… ${omitted.toLocaleString('en')} letters left out …]` }]
    },
  }
}
