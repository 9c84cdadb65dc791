import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { isRunning, livenessOf, ownIdentity, startByPs, startTicks } from './owner-lock-process.ts'

describe('processes', () => {
  test('this one is alive', async () => {
    const own = await ownIdentity()
    expect(own.started).toMatch(/^\d+$/)
    expect(await livenessOf(own)).toBe('alive')
  })

  test('one that has ended is dead', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', ''])
    expect(isRunning(pid)).toBe(false)
    expect(await livenessOf({ ...(await ownIdentity()), pid })).toBe('dead')
  })

  test('where no start time was written down, the number decides', async () => {
    expect(await livenessOf({ ...(await ownIdentity()), started: '' })).toBe('alive')
  })

  test('one that may not be signalled is running', () => {
    expect(isRunning(1)).toBe(true)
  })

  test('a name with blanks and parentheses does not shift the fields', () => {
    const rest = Array.from({ length: 49 }, (_, index) => String(index + 4)).join(' ')
    expect(startTicks(`4242 (a ) R (b) S ${rest}`)).toEqual({ ticks: '22', ended: false })
    expect(startTicks(`4242 (x) Z ${rest}`)).toEqual({ ticks: '22', ended: true })
    expect(startTicks('')).toBeUndefined()
  })

  test.skipIf(process.platform === 'win32')('`ps` tells the start that a runtime tells of itself', async () => {
    const started = await startByPs(process.pid)
    const ownReading = performance.timeOrigin
    expect(Math.abs((started ?? 0) - ownReading)).toBeLessThan(10_000)
    expect(await startByPs(2 ** 22 + 1)).toBeUndefined()
  })
})
