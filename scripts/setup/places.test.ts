import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { userCache } from './places.mjs'

describe('the user’s cache', () => {
  test.each([
    ['linux', {}, join('/home/u', '.cache', 'treeline')],
    ['linux', { XDG_CACHE_HOME: '/big' }, join('/big', 'treeline')],
    ['linux', { XDG_CACHE_HOME: 'relative' }, join('/home/u', '.cache', 'treeline')],
    ['darwin', {}, join('/home/u', 'Library', 'Caches', 'treeline')],
    ['win32', { LOCALAPPDATA: 'L' }, join('L', 'treeline', 'cache')],
    ['win32', {}, join('/home/u', 'AppData', 'Local', 'treeline', 'cache')],
  ] as const)('%s %o', (platform, env, expected) => {
    expect(userCache(platform, env, '/home/u')).toBe(expected)
  })
})
