import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { batchScript, ownCommandLine, shellScript, writeLauncher } from './launcher.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'treeline-launcher-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('the command that agents get', () => {
  it.runIf(process.platform !== 'win32')(
    'runs whatever its paths hold, and passes every word on as it is',
    async () => {
      const odd = join(folder, `it's "$HOME" \`x\` %PATH%`)
      await mkdir(odd)
      const program = join(odd, 'say.mjs')
      await writeFile(program, 'process.stdout.write(JSON.stringify([process.argv.slice(2), process.env.MARK]))')
      const bin = join(folder, 'bin')
      const commandLine = { command: process.execPath, args: [program], env: { MARK: "a'b $c" } }
      for (let times = 0; times < 2; times += 1)
        expect(await writeLauncher(bin, commandLine)).toMatchObject({ ok: true })
      expect((await stat(join(bin, 'treeline'))).mode & 0o777).toBe(0o700)
      const words = ['session', 'create', '--prompt', `two\nlines; "quoted" 'too' $HOME *`, '']
      const env = { ...process.env, PATH: `${bin}:${process.env['PATH']}` }
      const { stdout } = await promisify(execFile)('treeline', words, { env })
      expect(JSON.parse(stdout)).toEqual([words, "a'b $c"])
    },
  )

  it('is this program’s own command line', async () => {
    const { command, args, env } = ownCommandLine()
    const { stdout } = await promisify(execFile)(command, [...args, '--help'], { env: { ...process.env, ...env } })
    expect(stdout).toContain('session create --prompt')
  })

  it('is a batch file on Windows, where a percent sign would be a variable', () => {
    const script = batchScript({ command: 'C:\\A b\\100%.exe', args: ['C:\\t.js'], env: { ELECTRON_RUN_AS_NODE: '1' } })
    expect(script.split('\r\n')).toEqual([
      '@echo off',
      'chcp 65001 >nul',
      'setlocal',
      'set "ELECTRON_RUN_AS_NODE=1"',
      '"C:\\A b\\100%%.exe" "C:\\t.js" %*',
      '',
    ])
  })

  it('is Node inside Electron only where it is told so', () => {
    expect(shellScript({ command: '/app', args: ['/t.js'], env: { ELECTRON_RUN_AS_NODE: '1' } })).toBe(
      `#!/bin/sh\nELECTRON_RUN_AS_NODE='1' exec '/app' '/t.js' "$@"\n`,
    )
  })

  it('says when it cannot be written', async () => {
    await writeFile(join(folder, 'file'), '')
    expect(await writeLauncher(join(folder, 'file'), ownCommandLine())).toMatchObject({ error: { code: 'io_failed' } })
  })
})
