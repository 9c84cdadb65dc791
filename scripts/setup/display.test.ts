import { createConnection } from 'node:net'
import { expect, test } from 'vitest'
import { hasDisplay, startVirtualDisplay, xAuthority } from './display.mjs'
import { findProgram } from './find-program.mjs'

test.each([
  ['linux', {}, false],
  ['linux', { DISPLAY: '' }, false],
  ['linux', { DISPLAY: ':0' }, true],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, true],
  ['darwin', {}, true],
  ['win32', {}, true],
] as const)('on %s with %o a window is seen: %s', (platform, env, seen) => {
  expect(hasDisplay(platform, env)).toBe(seen)
})

test('the cookie file is one entry for any host and any display', () => {
  const cookie = Buffer.from('00112233445566778899aabbccddeeff', 'hex')
  expect(xAuthority(cookie).toString('latin1')).toBe(
    `\u00FF\u00FF\0\0\0\0\0\u0012MIT-MAGIC-COOKIE-1\0\u0010${cookie.toString('latin1')}`,
  )
})

test.runIf(findProgram('Xvfb'))('displays that follow each other at once all take clients', async () => {
  let former = await startVirtualDisplay()
  for (let round = 0; round < 5; round++) {
    former.stop()
    const display = await startVirtualDisplay()
    expect(await answersTo(display.env.DISPLAY)).toBe(true)
    former = display
  }
  former.stop()
})

function answersTo(display: string): Promise<boolean> {
  return new Promise((settle) => {
    const socket = createConnection(`/tmp/.X11-unix/X${display.slice(1)}`)
    socket.once('connect', () => {
      socket.destroy()
      settle(true)
    })
    socket.once('error', () => settle(false))
  })
}
