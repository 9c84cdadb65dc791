import { describe, expect, it } from 'vitest'
import { isComposing } from './typing.ts'

describe('isComposing', () => {
  it('knows every way in which a browser says so', () => {
    expect(isComposing({ key: 'Enter', keyCode: 13 })).toBe(false)
    expect(isComposing({ key: 'Enter', keyCode: 229 })).toBe(true)
    expect(isComposing({ key: 'Enter', keyCode: 13, isComposing: true })).toBe(true)
    expect(isComposing({ key: 'Escape', keyCode: 27, nativeEvent: { isComposing: true } })).toBe(true)
  })
})
