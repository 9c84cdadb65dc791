import { describe, expect, it } from 'vitest'
import { splitAnswer } from './split-answer.ts'

describe('splitAnswer', () => {
  it('leaves a short text whole', () => {
    expect(splitAnswer('a\n\nb', 10)).toEqual(['a\n\nb'])
  })

  it('splits between paragraphs and loses nothing', () => {
    const text = Array.from({ length: 50 }, (_, index) => `Paragraph ${index} has some words.`).join('\n\n')
    const pieces = splitAnswer(text, 200)
    expect(pieces.length).toBeGreaterThan(5)
    expect(pieces.join('\n')).toBe(text)
    for (const piece of pieces) expect(piece.length).toBeLessThan(260)
  })

  it('never splits inside a fenced block', () => {
    const code = ['```js', ...Array.from({ length: 40 }, () => 'const a = 1\n'), '```'].join('\n')
    const pieces = splitAnswer(`before\n\n${code}\n\nafter`, 100)
    const holding = pieces.filter((piece) => piece.includes('```'))
    expect(holding).toHaveLength(1)
    expect(holding[0]).toContain('```js')
    expect(holding[0]?.match(/```/gu)).toHaveLength(2)
  })
})
