import { describe, expect, test } from 'vitest'
import { closeJson, shortenStrings } from './json-preview.ts'

describe('closing a cut JSON text', () => {
  const whole = { a: [1, { b: 'te"xt \\ 果🌱', c: null, d: true, e: -1.5e3 }], 'k"ey': { f: '' }, g: [[], {}] }

  test('gives a whole value at whatever letter it was cut', () => {
    for (const text of [
      JSON.stringify(whole),
      JSON.stringify(whole, null, 2),
      JSON.stringify(whole).replace('果🌱', String.raw`\u679c\ud83c\udf31`),
    ]) {
      for (let length = 1; length < text.length; length++) {
        const closed = closeJson(text.slice(0, length))
        expect(() => JSON.parse(closed ?? 'null')).not.toThrow()
      }
      expect(JSON.parse(closeJson(text) ?? '')).toEqual(whole)
    }
  })

  test('keeps what was whole and marks what was cut', () => {
    expect(JSON.parse(closeJson('{"a":1,"b":[true,"half a te') ?? '')).toEqual({ a: 1, b: [true, 'half a te…'] })
    expect(JSON.parse(closeJson('{"a":1,"b":12') ?? '')).toEqual({ a: 1 })
    expect(JSON.parse(closeJson('{"a":1,"half') ?? '')).toEqual({ a: 1 })
    expect(JSON.parse(closeJson(String.raw`{"a":"x\\`) ?? '')).toEqual({ a: 'x\\…' })
    expect(JSON.parse(closeJson(String.raw`{"a":"x\u00`) ?? '')).toEqual({ a: 'x…' })
    expect(closeJson('12')).toBeUndefined()
    expect(closeJson('')).toBeUndefined()
  })
})

describe('shortening', () => {
  test('cuts long texts, and keeps short ones and the shape', () => {
    const value = { id: 'call-1', list: ['x'.repeat(500), 'y'.repeat(900)], n: 5, none: null }
    expect(shortenStrings(value, 600)).toEqual({
      cut: true,
      value: { id: 'call-1', list: ['x'.repeat(500), `${'y'.repeat(200)}…`], n: 5, none: null },
    })
    expect(shortenStrings(value, 5000)).toEqual({ cut: false, value })
  })

  test('does not split a pair', () => {
    expect(shortenStrings(`${'x'.repeat(299)}🌱🌱`, 300).value).toBe(`${'x'.repeat(299)}…`)
  })
})
