import { expect, test } from 'vitest'
import { createMasker, MASK, mask, maskingStream } from './masking.ts'

const SECRET = 'aab0123aab9'

test('a secret is masked wherever the pieces end', () => {
  const text = `x${SECRET}y aab aab0 ${SECRET}${SECRET} aab0123aab`
  const expected = `x${MASK}y aab aab0 ${MASK}${MASK} aab0123aab`
  for (let size = 1; size <= text.length; size++) {
    const masker = createMasker([SECRET, ''])
    let shown = ''
    for (let at = 0; at < text.length; at += size) {
      shown += masker.push(text.slice(at, at + size))
      expect(shown).not.toContain(SECRET)
    }
    expect(shown + masker.end()).toBe(expected)
  }
  expect(mask(text, [SECRET])).toBe(expected)
})

test('only what may be the beginning of a secret is held back', () => {
  const masker = createMasker([SECRET])
  expect(masker.push('hello')).toBe('hello')
  expect(masker.push('hello aab01')).toBe('hello ')
  expect(masker.push('x')).toBe('aab01x')
  expect(masker.end()).toBe('')
})

test('in bytes that flow by, a secret is masked wherever they are cut, and letters of several bytes stay whole', async () => {
  const bytes = Buffer.from(`{"text":"hä ${SECRET} 😀"}\n{"id":1}\n aab0`)
  for (let size = 1; size <= 12; size++) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    )
    const masked = ReadableStream.from<Uint8Array>(pieces).pipeThrough(maskingStream([SECRET]))
    expect(await new Response(masked).text()).toBe(`{"text":"hä ${MASK} 😀"}\n{"id":1}\n aab0`)
  }
})
