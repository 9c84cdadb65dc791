import type { EventDraft } from '../../shared/session-event.ts'
import { asRecord } from '../session-tree/event.ts'
import { INBOX_EVENT, type Inbox, type QueuedMessage } from '../session-tree/inbox.ts'
import { ownDraft, TURN_EVENT } from './own-events.ts'

/** A message that waits, and where: what is to be taken at the next step stands before what is to be taken at the next turn. */
export interface WaitingMessage {
  readonly message: QueuedMessage
  readonly target: 'next-step' | 'next-turn'
  readonly index: number
}

/** What waits, in the order it will be taken. */
export function waitingMessages(inbox: Inbox): WaitingMessage[] {
  return [
    ...inbox.nextStep.map((message, index) => ({ message, target: 'next-step' as const, index })),
    ...inbox.nextTurn.map((message, index) => ({ message, target: 'next-turn' as const, index })),
  ]
}

/** The event that takes a message out of the inbox. */
export function removalDraft({ target, index }: WaitingMessage, time: number): EventDraft {
  return { type: INBOX_EVENT, time, data: { target, start: index, removedCount: 1, inserted: [] } }
}

/**
 * The beginning of a turn in DSH's order (dsh-format §6): claimed, and only then shown to the agent. Our mark stands first:
 * wherever a crash cuts these lines, an open turn is known to be ours, and a message is either still in the inbox or claimed.
 */
export function claimDrafts(waiting: WaitingMessage, turn: number, preset: string, time: number): EventDraft[] {
  const { message } = waiting
  return [
    ownDraft(TURN_EVENT, { turn, preset, messageId: message.id }, time),
    { type: 'turn/start', time, data: { turn } },
    removalDraft(waiting, time),
    { type: 'step/start', time, data: { turn, step: 1 } },
    { type: 'user/message', time, data: message, surfaceOp: 'append' },
  ]
}

/** What a message says, its text blocks joined. */
export function textOf(message: QueuedMessage): string {
  return message.content
    .flatMap((block) => {
      const text = asRecord(block)?.['text']
      return typeof text === 'string' ? [text] : []
    })
    .join('\n\n')
}
