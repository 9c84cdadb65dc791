import { describe, expect, it } from 'vitest'
import { cleanTitle, cutTitle, sessionName } from './title.ts'

describe('cleanTitle', () => {
  it('turns every kind of line break and tab into one blank', () => {
    expect(cleanTitle('first\nsecond\r\nthird\u2028fourth\tfifth')).toBe('first second third fourth fifth')
  })

  it('treats blanks and invisible signs as no title', () => {
    for (const nothing of ['   \t  ', '\u200b\u2060\ufeff', '', '\u202e\u202c', '\u3164']) {
      expect(cleanTitle(nothing)).toBeUndefined()
    }
  })

  it('keeps joined emoji whole', () => {
    expect(cleanTitle('👩‍👩‍👧‍👦🏳️‍🌈👍🏽 family')).toBe('👩‍👩‍👧‍👦🏳️‍🌈👍🏽 family')
  })

  it('drops direction overrides but not the letters', () => {
    expect(cleanTitle('report\u202egnp.exe')).toBe('reportgnp.exe')
    expect(cleanTitle('שלום world (1)')).toBe('שלום world (1)')
  })

  it('drops control signs and terminal sequences, and nothing beside them', () => {
    expect(cleanTitle('ring\u0007 esc\u001b[31mred')).toBe('ring escred')
    expect(cleanTitle('bell\u0007[a] stays')).toBe('bell[a] stays')
  })

  it('never leaves half of a surrogate pair', () => {
    expect(cleanTitle('a\ud83d b')?.isWellFormed()).toBe(true)
  })
})

describe('cutTitle', () => {
  it('never splits an emoji, wherever the cut falls', () => {
    const title = `${'a'.repeat(10)}😀👩‍👩‍👧‍👦x`
    for (let longest = 9; longest < title.length; longest += 1) {
      const cut = cutTitle(title, longest)
      expect(cut.isWellFormed()).toBe(true)
      expect(cut.includes('\u200d…')).toBe(false)
    }
  })

  it('leaves a short title alone', () => {
    expect(cutTitle('short')).toBe('short')
  })
})

describe('sessionName', () => {
  it('takes the title, else the prompt, else the id', () => {
    const session_id = 'session-0f080000-0000-4000-8000-000000000008'
    expect(sessionName({ session_id, title: 'T', prompt: 'P' })).toBe('T')
    expect(sessionName({ session_id, title: ' \u200b ', prompt: 'P\nQ' })).toBe('P Q')
    expect(sessionName({ session_id })).toBe('Session 0f080000')
  })
})

/** The inputs of field fault F29, as they are. */
const SHOWN = [
  'first line\nsecond line\r\nthird\u2028fourth',
  `${'a'.repeat(49)}😀x`,
  `${'a'.repeat(79)}😀x`,
  '👩‍👩‍👧‍👦🏳️‍🌈👍🏽 family',
  'Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324algo',
  'שלום world (1) قائمة',
  'report\u202egnp.exe',
  'x'.repeat(300),
  '<img src=x onerror=alert(1)><b>bold</b>',
  '../../etc/passwd',
  'ring\u0007 esc\u001b[31mred',
  '果园里的苹果和梨子需要在冬天之前全部收完并且记在账上',
]

describe('the titles of field fault F29', () => {
  it.each(SHOWN)('%j becomes one clean line', (title) => {
    const line = cleanTitle(title) ?? ''
    expect(line).toMatch(/^[^\p{Cc}\u2028\u2029\u202a-\u202e]+$/u)
    for (const longest of [49, 50, 79, 80]) {
      const cut = cutTitle(line, longest)
      expect(cut.isWellFormed()).toBe(true)
      expect(cut).not.toContain('\ufffd')
    }
  })
})
