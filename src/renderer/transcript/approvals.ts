import type { NoteBlock } from './blocks.ts'
import { fields, text } from './event-data.ts'
import { approval } from './event-words.ts'

/** What an agent asked to be allowed, each with what came of it, which a later line says. */
interface ApprovalFold {
  /** Takes an `approval/asked`; the note changes when the answer comes. */
  asked(data: unknown, key: string): NoteBlock
  /** Takes an `approval/decided`. */
  decided(data: unknown, key: string): void
}

/** Folds questions and answers of one log (dsh-format §5). */
export function foldApprovals(): ApprovalFold {
  const asked = new Map<string, { readonly note: NoteBlock; readonly toolName: unknown }>()
  return {
    asked: (data, key) => {
      const { id, toolName, reason } = fields(data)
      const words = approval(toolName, undefined)
      const detail = text(reason) || undefined
      const note: NoteBlock = { type: 'note', key, revision: key, tone: 'quiet', text: words, detail }
      asked.set(text(id), { note, toolName })
      return note
    },
    decided: (data, key) => {
      const { id, outcome } = fields(data)
      const question = asked.get(text(id))
      if (question) Object.assign(question.note, { text: approval(question.toolName, outcome), revision: key })
    },
  }
}
