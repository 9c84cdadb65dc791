import type { SessionEvent } from '../../shared/session-event.ts'
import { asRecord } from '../session-tree/event.ts'
import type { SessionTree } from '../session-tree/session-tree.ts'
import type { SessionReading } from './session-reader.ts'

/** So much of what was said before is given to an agent that does not know the session; the rest stands in the log. */
const MOST_LETTERS = 100_000

/**
 * What was said in the turns before this one, the last of it, as text: for an agent that cannot take up the session itself.
 * @returns undefined where nothing was said, or the log cannot be read: then there is nothing to give.
 */
export async function readHistory(tree: SessionTree, { place, state }: SessionReading): Promise<string | undefined> {
  if (state.lastTurn === 0) return undefined
  const log = await tree.load(place.id)
  if (!log.ok) return undefined
  let said: string[] = []
  let length = 0
  for await (const event of log.value.events) {
    if (!event.ok) return undefined
    const piece = pieceOf(event.value)
    if (piece === undefined) continue
    said.push(piece)
    length += piece.length
    while (length > MOST_LETTERS && said.length > 1) length -= said.shift()?.length ?? 0
  }
  // The last piece is the message that is being answered now, which the agent gets anyway.
  if (said.at(-1)?.startsWith(PERSON)) said = said.slice(0, -1)
  const text = said.join('\n\n')
  return text === '' ? undefined : text.slice(-MOST_LETTERS)
}

const PERSON = 'User: '

function pieceOf({ type, data, surfaceOp }: SessionEvent): string | undefined {
  if (surfaceOp !== 'append') return undefined
  const fields = asRecord(data)
  if (type === 'user/message') {
    return asRecord(fields?.['source'])?.['kind'] === 'user' ? labelled(PERSON, fields?.['content']) : undefined
  }
  if (type === 'assistant/message') return labelled('Assistant: ', asRecord(fields?.['message'])?.['content'])
  return undefined
}

function labelled(label: string, content: unknown): string | undefined {
  if (!Array.isArray(content)) return undefined
  const texts = content.flatMap((item: unknown) => {
    const block = asRecord(item)
    if (block?.['type'] === 'tool-call') return [`[called ${String(block['name'])}]`]
    return block?.['type'] === 'text' && typeof block['text'] === 'string' ? [block['text']] : []
  })
  const text = texts.join('\n').trim()
  return text === '' ? undefined : label + text
}
