import type { TranscriptLine } from '../../shared/navigator-view.ts'
import { grouped } from '../ui/numbers.ts'

/** Names the place of a window's lines, so that a bad one can be found in an editor. */
export interface LineCount {
  /** Goes on to the next line. */
  next(line: TranscriptLine): void
  /** Where the line that was taken last stands. */
  words(): string
}

/**
 * Event n stands in line n + 2, behind the header, as long as nothing before it is damaged; behind damage the number
 * is only about right and is said to be. The byte always is.
 */
export function countLines(): LineCount {
  let line: number | undefined
  let offset = 0
  let isSure = true
  let isDamaged = false
  return {
    next: (next) => {
      if (next.offset === 0) line = 1
      else if (line !== undefined) line += 1
      offset = next.offset
      isSure = !isDamaged
      if (next.kind === 'event' && Number.isSafeInteger(next.event.seq)) {
        isDamaged = isDamaged && next.event.seq + 2 !== line
        line = next.event.seq + 2
      } else if (next.kind === 'bad') isDamaged = true
    },
    words: () =>
      line === undefined
        ? `Byte ${grouped(offset)}`
        : `${isSure ? 'Line' : 'About line'} ${grouped(line)}, byte ${grouped(offset)}`,
  }
}
