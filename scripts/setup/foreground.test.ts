import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { runInForeground } from './foreground.mjs'

const module = new URL('foreground.mjs', import.meta.url).href

describe('a program run in the foreground', () => {
  test('its exit code is told', async () => {
    const ended = await runInForeground(process.execPath, ['-e', 'process.exit(7)'])
    expect(ended).toEqual({ code: 7, stopped: false, late: false })
  })

  test('so is the signal that ended it', async () => {
    const ended = await runInForeground(process.execPath, ['-e', 'process.kill(process.pid, "SIGKILL")'])
    expect(ended.code).toBe(137)
  })

  test('one that is not there is an error', async () => {
    await expect(runInForeground('/nowhere/at-all', [])).rejects.toThrow('ENOENT')
  })

  test('it is ended at its time limit', async () => {
    const ended = await runInForeground(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { timeLimit: 300 })
    expect(ended).toMatchObject({ late: true, stopped: false })
  })

  test('lines that are noise are not shown', async () => {
    const script = `import { runInForeground } from ${JSON.stringify(module)}
      await runInForeground(process.execPath, ['-e', 'console.error("noise\\\\nwords\\\\nnoise")'], {
        quietLine: (line) => line === 'noise' })`
    const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
    expect(stderr).toBe('words\n')
  })
})

describe.runIf(process.platform !== 'win32')('when this process is told to end', () => {
  // The program starts another one and neither ends by itself; both process ids are printed.
  const program = `const { spawn } = require('node:child_process')
    const below = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    console.log(process.pid + ' ' + below.pid)
    setInterval(() => {}, 1000)`

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s ends everything below it', async (signal) => {
    const script = `import { runInForeground } from ${JSON.stringify(module)}
      const ended = await runInForeground(process.execPath, ['-e', ${JSON.stringify(program)}])
      process.exitCode = ended.stopped ? 42 : 1`
    const outer = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [text] = await once(outer.stdout, 'data')
    const pids = String(text).trim().split(' ').map(Number)
    outer.kill(signal)
    expect((await once(outer, 'exit'))[0]).toBe(42)
    expect(pids).toHaveLength(2)
    // Until whoever adopts the dead has collected them.
    for (const pid of pids) await expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false)
  })

  test('under npm, the end of the parent counts as well', async () => {
    const script = `import { runInForeground } from ${JSON.stringify(module)}
      await runInForeground(process.execPath, ['-e', ${JSON.stringify(program)}])`
    const args = ['--input-type=module', '-e', script]
    // A shell in between, as npm has one, that ends without a word to its child.
    const parent = spawn('sh', ['-c', '"$0" "$@" & wait', process.execPath, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, npm_lifecycle_event: 'start' },
    })
    const [text] = await once(parent.stdout, 'data')
    const pids = String(text).trim().split(' ').map(Number)
    expect(pids.every(isRunning)).toBe(true)
    parent.kill('SIGTERM')
    for (const pid of pids) await expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false)
  })
})

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
