import { describe, expect, test } from 'vitest'
import { chromiumArguments, isDesktopNoise, sandboxRemedy } from './electron-arguments.mjs'

describe('what Chromium is told', () => {
  test('the sandbox is given up as root only, and that is said', () => {
    const asRoot = chromiumArguments({ virtualDisplay: true }, { platform: 'linux', root: true, env: {} })
    expect(asRoot.args).toEqual(['--no-sandbox', '--disable-gpu'])
    expect(asRoot.said).toContain('--no-sandbox')
    const asUser = chromiumArguments(
      { virtualDisplay: false },
      { platform: 'linux', root: false, env: { DISPLAY: ':0' } },
    )
    expect(asUser).toEqual({ args: [] })
  })

  test('a Wayland session without X is used as such', () => {
    const machine = { platform: 'linux', root: false, env: { WAYLAND_DISPLAY: 'wayland-0' } } as const
    expect(chromiumArguments({ virtualDisplay: false }, machine).args).toEqual(['--ozone-platform=wayland'])
  })

  test('other systems need nothing', () => {
    expect(chromiumArguments({ virtualDisplay: false }, { platform: 'darwin', root: true, env: {} })).toEqual({
      args: [],
    })
  })

  test('a sandbox that the system forbids comes with what to do', () => {
    const line =
      '[1:1/1:FATAL:setuid_sandbox_host.cc(163)] The SUID sandbox helper binary was found, but is not configured correctly. …'
    expect(sandboxRemedy(line, '/a b/electron')).toContain("sudo chmod 4755 '/a b/chrome-sandbox'")
    expect(sandboxRemedy('anything else', '/a b/electron')).toBeUndefined()
  })

  test('only lines about services that are not there are noise', () => {
    const bus = '[12129:1130/152246.173918:ERROR:bus.cc(407)] Failed to connect to the bus: Failed to connect to socket'
    expect(isDesktopNoise(bus)).toBe(true)
    expect(isDesktopNoise('[20800:1130/153229.595810:ERROR:ozone_platform_x11.cc(245)] Missing X server')).toBe(false)
    expect(isDesktopNoise('Error: the app said this')).toBe(false)
  })
})
