import { describe, expect, test } from 'vitest'
import { canBuild, canRunBuilt, nodePackage } from './node-version.mjs'

describe('which Node will do', () => {
  test.each([
    ['18.20.4', false, false],
    ['20.17.0', false, false],
    ['20.18.0', false, true],
    ['20.20.2', false, true],
    ['21.0.0', false, true],
    ['22.12.0', false, true],
    ['22.17.1', false, true],
    ['22.18.0', true, true],
    ['23.5.0', false, true],
    ['23.6.0', true, true],
    ['24.0.0', true, true],
    ['26.1.0', true, true],
  ])('%s builds: %s, runs what is built: %s', (version, builds, runs) => {
    expect(canBuild(version)).toBe(builds)
    expect(canRunBuilt(version)).toBe(runs)
  })

  test('every package offered is itself new enough', () => {
    for (const [platform, arch] of [
      ['linux', 'x64'],
      ['linux', 'arm64'],
      ['darwin', 'x64'],
      ['darwin', 'arm64'],
      ['win32', 'x64'],
    ] as const) {
      const found = nodePackage(platform, arch)
      expect(found && canBuild(found.version), `${platform} ${arch}`).toBe(true)
      expect(found?.binary).toBe(platform === 'win32' ? 'bin/node.exe' : 'bin/node')
    }
  })

  test('a system without one is known to have none', () => {
    expect(nodePackage('linux', 's390x')).toBeUndefined()
    expect(nodePackage('freebsd', 'x64')).toBeUndefined()
  })
})
