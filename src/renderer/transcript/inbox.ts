import { contentText, fields, items, number, text } from './event-data.ts'

interface WaitingPrompt {
  readonly id: string
  readonly text: string
}

/** The inbox of an open log: what was accepted and not yet taken (dsh-format §5). */
export interface InboxFold {
  /** Takes an `agent/inbox/spliced`. */
  splice(data: unknown): void
  /** A message with this id stands in the log: it waits no longer, even where its removal lies outside the window. */
  taken(id: string): void
  waiting(): readonly WaitingPrompt[]
}

/** Folds the queue edits of one log, `next-step` before `next-turn`, as they will be taken. */
export function foldInbox(): InboxFold {
  const queues = new Map<string, WaitingPrompt[]>([
    ['next-step', []],
    ['next-turn', []],
  ])
  return {
    splice: (data) => {
      const edit = fields(data)
      const queue = queues.get(text(edit['target']))
      if (!queue) return
      const inserted = items(edit['inserted']).map((item) => {
        const message = fields(item)
        return { id: text(message['id']), text: contentText(message['content']).text }
      })
      // The window may begin after some insertions: an edit past the known end then touches nothing known.
      queue.splice(number(edit['start']) ?? 0, number(edit['removedCount']) ?? 0, ...inserted)
    },
    taken: (id) => {
      for (const queue of queues.values()) {
        const index = queue.findIndex((prompt) => prompt.id === id)
        if (index !== -1) queue.splice(index, 1)
      }
    },
    waiting: () => [...queues.values()].flat(),
  }
}
