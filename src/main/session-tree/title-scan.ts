import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import { asRecord } from './event.ts'
import { INBOX_EVENT } from './inbox.ts'
import { readOpening, withLog } from './log-file.ts'
import { takeFromOwn, type FoundEvent } from './own-scan.ts'
import { promptText, titleText } from './own-words.ts'
import type { SessionPlace, TitleScan } from './session-tree.ts'

const TYPES: ReadonlySet<string> = new Set(['session/title', 'user/message', INBOX_EVENT])

/**
 * Finds title and first own prompt where neither head nor tail of a log shows them ({@link SessionFacts.settled}). Scans
 * the whole log's bytes, so it is for the background; a log without a readable header has neither.
 * @returns `cancelled`, `log_missing`, or `io_failed`.
 */
export async function scanForTitle(place: SessionPlace, signal?: AbortSignal): Promise<Result<TitleScan>> {
  try {
    return await withLog(place, async (log) => {
      const { header, end } = await readOpening(log, place)
      if (!header) return ok({})
      const scan = { header, headerEnd: end, size: log.size, types: TYPES }
      let prompted = false
      const words = await takeFromOwn(
        log.file,
        scan,
        (event, late): TitleScan | undefined => {
          const title = event.type === 'session/title' ? titleText(event.data) : undefined
          if (title !== undefined) return { title }
          const firstPrompt = prompted && !late ? undefined : promptIn(event)
          if (firstPrompt === undefined) return undefined
          prompted = true
          return { firstPrompt }
        },
        signal,
      )
      const last = words.findLast((each) => each.title !== undefined)
      const first = words.find((each) => each.firstPrompt !== undefined)
      return ok({ ...last, ...first })
    })
  } catch (error) {
    if (signal?.aborted && error === signal.reason) return fail(toolError('cancelled', 'Cancelled.'))
    throw error
  }
}

/** The prompt a person gave, taken from the turn or still in the inbox. */
function promptIn({ type, data }: FoundEvent): string | undefined {
  if (type === 'user/message') return promptText(data)
  const inserted = type === INBOX_EVENT ? asRecord(data)?.['inserted'] : undefined
  if (!Array.isArray(inserted)) return undefined
  for (const message of inserted) {
    const text = promptText(message)
    if (text !== undefined) return text
  }
  return undefined
}
