import type { TranscriptPage } from '../../shared/navigator-view.ts'
import type { Result } from '../../shared/result.ts'
import type { ToolError } from '../../shared/tool-error.ts'
import { appendPage, prependPage, windowOf, type LogWindow } from './log-window.ts'

export interface LogState {
  readonly phase: 'loading' | 'ready' | 'failed'
  readonly window: LogWindow | null
  readonly error: ToolError | null
}

export interface OpenLog {
  /** Reads the page before the window. */
  earlier(): Promise<void>
  /** Reads the page behind the window. */
  later(): Promise<void>
  /** Shows the log's end, letting go of everything else. */
  toEnd(): Promise<void>
  /** The log is now so long: reads on, or reads anew where it got shorter or was replaced. */
  changed(size: number, inode: number): Promise<void>
  stop(): void
}

type Page = { readonly before?: number; readonly lines: number } | { readonly after: number; readonly lines: number }

const PAGE = 200
/** Past this much growth at once, a reader at the end is shown the new end instead of everything on the way. */
const MOST_PAGES_AT_ONCE = 10

/**
 * Follows one log for one transcript. One read at a time; what arrives after `stop` is dropped.
 * @param read one page, as the navigator gives it
 * @param show gets every new state
 * @param follows whether the person is looking at the end
 */
export function openLog(
  read: (page: Page) => Promise<Result<TranscriptPage>>,
  show: (state: LogState) => void,
  follows: () => boolean,
): OpenLog {
  let window: LogWindow | null = null
  let stopped = false
  let busy = false
  let grownMeanwhile: { size: number; inode: number } | null = null

  const put = (next: LogWindow): void => {
    window = next
    show({ phase: 'ready', window, error: null })
  }

  const page = async (request: Page): Promise<TranscriptPage | null> => {
    const answer = await read(request)
    if (stopped) return null
    if (answer.ok) return answer.value
    if (answer.error.code === 'log_changed' && window) {
      // Shorter than it was, or another file: what is shown is of no log any more.
      window = null
      await readTail()
      return null
    }
    show({ phase: window ? 'ready' : 'failed', window, error: answer.error })
    return null
  }

  const readTail = async (): Promise<void> => {
    const tail = await page({ lines: PAGE })
    if (tail) put(windowOf(tail))
  }

  const readOn = async (): Promise<void> => {
    for (let count = 0; count < MOST_PAGES_AT_ONCE; count += 1) {
      if (!window) return
      const next = await page({ after: window.to, lines: PAGE })
      if (!next || !window) return
      if (next.inode !== window.inode) {
        await readTail()
        return
      }
      put(appendPage(window, next))
      if (next.atEnd || next.lines.length === 0 || !follows()) return
    }
    await readTail()
  }

  const alone = async (work: () => Promise<void>): Promise<void> => {
    if (busy || stopped) return
    busy = true
    try {
      await work()
    } finally {
      busy = false
    }
    const grown = grownMeanwhile
    grownMeanwhile = null
    if (grown) await log.changed(grown.size, grown.inode)
  }

  const log: OpenLog = {
    earlier: () =>
      alone(async () => {
        if (!window || window.atStart) return
        const before = await page({ before: window.from, lines: PAGE })
        if (before && window) put(prependPage(window, before))
      }),
    later: () =>
      alone(async () => {
        if (!window || window.atEnd) return
        const after = await page({ after: window.to, lines: PAGE })
        if (after && window) put(appendPage(window, after))
      }),
    toEnd: () => alone(readTail),
    changed: async (size, inode) => {
      if (busy) {
        grownMeanwhile = { size, inode }
        return
      }
      await alone(async () => {
        if (!window || window.inode !== inode || size < window.to) await readTail()
        else if (window.atEnd) await readOn()
      })
    },
    stop: () => {
      stopped = true
    },
  }
  void log.toEnd()
  return log
}
