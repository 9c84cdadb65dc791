import type { TranscriptLine } from '../../shared/bridge.ts'

/** Names the place of a window's lines, so that a bad one can be found in an editor. */
export interface LineCount {
  /** Takes the next line; returns where it stands, in words. */
  next(line: TranscriptLine): string
}

/**
 * Event n stands in line n + 2, behind the header, as long as nothing before it is damaged; behind damage the number
 * is only about right and is said to be. The byte always is.
 */
export function countLines(): LineCount {
  let line = 2
  let isSure = true
  let known = false
  return {
    next: (next) => {
      if (next.offset === 0) line = 1
      if (next.kind === 'event' && Number.isSafeInteger(next.event.seq)) {
        // Not the place the lines before it led to: some of them were spoilt, or more than one stood in a line.
        if (known && !isSure && next.event.seq + 2 === line) isSure = true
        line = next.event.seq + 2
      }
      const at = `byte ${next.offset.toLocaleString('en')}`
      const words = isSure
        ? `Line ${line.toLocaleString('en')}, ${at}`
        : `About line ${line.toLocaleString('en')}, ${at}`
      known = true
      if (next.kind === 'bad') isSure = false
      line += 1
      return words
    },
  }
}
