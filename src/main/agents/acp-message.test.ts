import { describe, expect, test } from 'vitest'
import { createMessage } from './acp-message.ts'
import { MASK } from './masking.ts'

const SECRET = 'token-0123456789abcdef'

function message(secrets: readonly string[] = [SECRET]) {
  const chunks: { type: string; index: number; text: string }[] = []
  const log = { chunk: (chunk: unknown) => chunks.push(JSON.parse(JSON.stringify(chunk))) }
  return { streamed: createMessage(log, secrets), chunks }
}

test('blocks change where the kind does, and each has its place in the chunks', () => {
  const { streamed, chunks } = message()
  streamed.add('reasoning', 'Let me ')
  streamed.add('reasoning', 'see.')
  streamed.add('text', 'Four.')
  streamed.add('reasoning', 'Done?')
  expect(streamed.end()).toEqual([
    { type: 'reasoning', text: 'Let me see.' },
    { type: 'text', text: 'Four.' },
    { type: 'reasoning', text: 'Done?' },
  ])
  expect(chunks).toEqual([
    { type: 'reasoning-delta', index: 0, text: 'Let me ' },
    { type: 'reasoning-delta', index: 0, text: 'see.' },
    { type: 'text-delta', index: 1, text: 'Four.' },
    { type: 'reasoning-delta', index: 2, text: 'Done?' },
  ])
})

describe('a secret', () => {
  test.each(Array.from({ length: SECRET.length - 1 }, (_, index) => index + 1))(
    'cut after %i letters is shown neither in the chunks nor in the message',
    (at) => {
      const { streamed, chunks } = message()
      streamed.add('text', `before ${SECRET.slice(0, at)}`)
      streamed.add('text', `${SECRET.slice(at)} after`)
      const shown = chunks.map(({ text }) => text).join('')
      expect(streamed.end()).toEqual([{ type: 'text', text: `before ${MASK} after` }])
      expect(shown).toBe(`before ${MASK} after`)
    },
  )

  test('that comes letter by letter is not shown', () => {
    const { streamed, chunks } = message()
    for (const letter of `x${SECRET}y`) streamed.add('text', letter)
    expect(streamed.end()).toEqual([{ type: 'text', text: `x${MASK}y` }])
    expect(chunks.map(({ text }) => text).join('')).toBe(`x${MASK}y`)
  })

  test('that only began is what was said after all, also where the kind changes', () => {
    const { streamed } = message()
    streamed.add('text', 'a token-0')
    streamed.add('reasoning', '123')
    expect(streamed.end()).toEqual([
      { type: 'text', text: 'a token-0' },
      { type: 'reasoning', text: '123' },
    ])
  })
})

test('pieces of another id are another message; agents that give none mean the same one', () => {
  const { streamed } = message()
  expect(streamed.takes('m1')).toBe(true)
  streamed.add('text', 'a')
  expect(streamed.takes('m1')).toBe(true)
  streamed.add('text', 'b', 'm1')
  expect(streamed.takes(undefined)).toBe(true)
  expect(streamed.takes('m1')).toBe(true)
  expect(streamed.takes('m2')).toBe(false)
})

test('what is too long is cut and counted, and only its beginning is streamed', () => {
  const { streamed, chunks } = message()
  for (let piece = 0; piece < 25; piece++) streamed.add('text', 'y'.repeat(50_000))
  const [text, omitted] = streamed.end()
  expect(text?.text).toHaveLength(1_000_000)
  expect(omitted).toEqual({ type: 'text', text: '[… 250,000 letters left out …]' })
  expect(chunks.map(({ text: shown }) => shown).join('')).toHaveLength(200_000)
})

test('a message of nothing is no blocks', () => {
  const { streamed, chunks } = message()
  expect(streamed.end()).toEqual([])
  expect(chunks).toEqual([])
})
