import type { TranscriptLine, TranscriptPage } from '../../shared/navigator-view.ts'
import { stepOf } from './event-data.ts'

/**
 * The part of a log that the window holds: one run of lines, by byte offsets. It opens at the end, grows backwards as
 * the person scrolls and forwards as the log grows, and never holds more than `MOST_LINES`, however long the log is.
 */
export interface LogWindow {
  readonly lines: readonly TranscriptLine[]
  readonly from: number
  /** Where the next page begins: the end of the last whole line. */
  readonly to: number
  readonly size: number
  readonly atStart: boolean
  readonly atEnd: boolean
  readonly inode: number
}

/** A few dozen screens. */
export const MOST_LINES = 4000

/** The window on a page alone. */
export function windowOf(page: TranscriptPage): LogWindow {
  const { from, size, atStart, atEnd, inode } = page
  return { lines: withoutTold(page.lines), from, to: endOfWhole(page), size, atStart, atEnd, inode }
}

/** Puts an earlier page before the window. Lines at the far end are let go where there are too many. */
export function prependPage(window: LogWindow, page: TranscriptPage): LogWindow {
  const earlier = page.lines.filter((line) => line.offset < window.from)
  const lines = withoutTold([...earlier, ...window.lines])
  const joined = {
    ...window,
    from: Math.min(page.from, window.from),
    atStart: page.atStart || page.from >= window.from,
  }
  if (lines.length <= MOST_LINES) return { ...joined, lines }
  return { ...joined, lines: lines.slice(0, MOST_LINES), to: lines[MOST_LINES]?.offset ?? window.to, atEnd: false }
}

/** Puts a later page behind the window; an unfinished last line is replaced by what it has become. */
export function appendPage(window: LogWindow, page: TranscriptPage): LogWindow {
  const before = window.lines.filter((line) => line.offset < page.from)
  const lines = withoutTold([...before, ...page.lines])
  const joined = { ...window, to: endOfWhole(page), size: page.size, atEnd: page.atEnd }
  if (lines.length <= MOST_LINES) return { ...joined, lines }
  const kept = lines.slice(lines.length - MOST_LINES)
  return { ...joined, lines: kept, from: kept[0]?.offset ?? window.from, atStart: false }
}

function endOfWhole(page: TranscriptPage): number {
  const last = page.lines.at(-1)
  return last?.kind === 'unfinished' ? last.offset : page.to
}

/** Streamed pieces are most of a log's lines, and once their message is there it tells all they did. */
function withoutTold(lines: readonly TranscriptLine[]): readonly TranscriptLine[] {
  const told = new Set<string>()
  for (const line of lines) {
    if (line.kind === 'event' && line.event.type === 'assistant/message') told.add(stepOf(line.event.data))
  }
  if (told.size === 0) return lines
  return lines.filter(
    (line) => line.kind !== 'event' || line.event.type !== 'assistant/chunk' || !told.has(stepOf(line.event.data)),
  )
}
