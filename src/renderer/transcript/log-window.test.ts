import { describe, expect, it } from 'vitest'
import type { TranscriptLine, TranscriptPage } from '../../shared/navigator-view.ts'
import { appendPage, MOST_LINES, prependPage, windowOf } from './log-window.ts'

/** Lines of ten bytes each. */
function page(first: number, count: number, more: Partial<TranscriptPage> = {}): TranscriptPage {
  const lines = Array.from({ length: count }, (_, index): TranscriptLine => ({
    kind: 'event',
    offset: (first + index) * 10,
    bytes: 10,
    event: { type: 'x/y', seq: first + index, time: 0, data: {} },
  }))
  return {
    session_id: 's',
    lines,
    from: first * 10,
    to: (first + count) * 10,
    size: 1000,
    atStart: first === 0,
    atEnd: false,
    inode: 1,
    ...more,
  }
}

const piece = (line: TranscriptLine, type: string): TranscriptLine =>
  line.kind === 'event' ? { ...line, event: { ...line.event, type, data: { turn: 1, step: 1 } } } : line

describe('the log window', () => {
  it('grows backwards and knows the start', () => {
    const window = prependPage(windowOf(page(10, 5)), page(0, 10))
    expect(window.lines.map((line) => line.offset)).toEqual(Array.from({ length: 15 }, (_, index) => index * 10))
    expect(window).toMatchObject({ from: 0, to: 150, atStart: true })
  })

  it('does not take a line twice where pages overlap', () => {
    expect(prependPage(windowOf(page(10, 5)), page(5, 10)).lines).toHaveLength(10)
    expect(appendPage(windowOf(page(0, 10)), page(8, 5)).lines).toHaveLength(13)
  })

  it('reads an unfinished last line again, and replaces it', () => {
    const unfinished: TranscriptLine = { kind: 'unfinished', offset: 50, bytes: 4 }
    const first = page(0, 5)
    const window = windowOf({ ...first, lines: [...first.lines, unfinished], to: 54 })
    expect(window.to).toBe(50)
    const grown = appendPage(window, page(5, 2))
    expect(grown.lines.map((line) => line.kind)).toEqual(Array.from({ length: 7 }, () => 'event'))
    expect(grown.to).toBe(70)
  })

  it('keeps streamed pieces only until their message is there', () => {
    const pieces = page(0, 3)
    const streamed = { ...pieces, lines: pieces.lines.map((line) => piece(line, 'assistant/chunk')) }
    const window = windowOf(streamed)
    expect(window.lines).toHaveLength(3)
    const message = page(3, 1)
    const whole = { ...message, lines: message.lines.map((line) => piece(line, 'assistant/message')) }
    expect(appendPage(window, whole).lines.map((line) => line.offset)).toEqual([30])
    expect(prependPage(windowOf(whole), streamed)).toMatchObject({ from: 0, to: 40, atStart: true })
  })

  it('lets go of the far end where it holds too much', () => {
    const long = windowOf(page(1000, MOST_LINES))
    const back = prependPage(long, page(900, 100))
    expect(back.lines).toHaveLength(MOST_LINES)
    expect(back).toMatchObject({ from: 9000, to: (900 + MOST_LINES) * 10, atEnd: false })
    const forth = appendPage(long, page(1000 + MOST_LINES, 100, { atEnd: true }))
    expect(forth.lines).toHaveLength(MOST_LINES)
    expect(forth).toMatchObject({ from: 11_000, atStart: false, atEnd: true })
  })
})
