import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import { asRecord } from './event.ts'
import { INBOX_EVENT } from './inbox.ts'
import { readOpening, withLog } from './log-file.ts'
import { ownEvents, type FoundEvent } from './own-scan.ts'
import { promptText, titleText } from './own-words.ts'
import type { SessionPlace, TitleScan } from './session-tree.ts'

const TYPES: ReadonlySet<string> = new Set(['session/title', 'user/message', INBOX_EVENT])

/**
 * Finds title and first own prompt where neither head nor tail of a log shows them ({@link SessionFacts.settled}). Scans
 * the whole log's bytes, so it is for the background; a log without a readable header has neither.
 * @returns `cancelled`, or `io_failed`.
 */
export async function scanForTitle(place: SessionPlace, signal?: AbortSignal): Promise<Result<TitleScan>> {
  try {
    return await withLog(place, async (log) => {
      const { header, end } = await readOpening(log, place)
      if (!header) return ok({})
      const events = await ownEvents(log.file, { header, headerEnd: end, size: log.size, types: TYPES }, signal)
      const title = events.findLast((event) => wordsOf(event, 'session/title') !== undefined)
      const prompt = events.find((event) => event.type !== 'session/title' && wordsOf(event, event.type) !== undefined)
      return ok({
        ...(title ? { title: wordsOf(title, 'session/title') ?? '' } : {}),
        ...(prompt ? { firstPrompt: wordsOf(prompt, prompt.type) ?? '' } : {}),
      })
    })
  } catch (error) {
    if (signal?.aborted && error === signal.reason) return fail(toolError('cancelled', 'Cancelled.'))
    throw error
  }
}

/** What an event of this type says: a title, or a person's prompt. */
function wordsOf(event: FoundEvent, type: string): string | undefined {
  if (event.type !== type) return undefined
  if (type === 'session/title') return titleText(event.data)
  if (type === 'user/message') return promptText(event.data)
  const inserted = asRecord(event.data)?.['inserted']
  if (!Array.isArray(inserted)) return undefined
  for (const message of inserted) {
    const text = promptText(message)
    if (text !== undefined) return text
  }
  return undefined
}
