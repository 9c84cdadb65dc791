import { describe, expect, it } from 'vitest'
import { byteSize, shortPath, splitPath } from './paths.ts'

describe('paths', () => {
  it('shortens the home folder and nothing else', () => {
    expect(shortPath('/home/dev/src/x', '/home/dev')).toBe('~/src/x')
    expect(shortPath('/home/dev', '/home/dev')).toBe('~')
    expect(shortPath('/home/developer', '/home/dev')).toBe('/home/developer')
    expect(shortPath('C:\\Users\\dev', '/home/dev')).toBe('C:\\Users\\dev')
    expect(shortPath('/x', '')).toBe('/x')
  })

  it('splits before the last part', () => {
    expect(splitPath('~/a/b')).toEqual({ folder: '~/a/', name: 'b' })
    expect(splitPath('/a')).toEqual({ folder: '', name: '/a' })
  })

  it.each([
    [812, '812 bytes'],
    [4_800_000, '4.8 MB'],
    [999_600, '1.0 MB'],
    [12_000_000, '12 MB'],
  ])('%s is %s', (bytes, shown) => {
    expect(byteSize(bytes)).toBe(shown)
  })
})
