import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openInEditor } from './editors.ts'
import { findEditors, hasOwnWindow } from './known-editors.ts'

let folder: string
let log: string
let record: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'treeline-editors-'))
  const place = join(folder, 'Größe und 秃发 $(touch x); "quoted" \'single\'')
  await mkdir(place)
  log = join(place, 'session.jsonl')
  await writeFile(log, '{}\n')
  record = join(folder, 'recorded.json')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** A real executable that writes down its arguments, then does what `then` says. */
async function editor(name: string, then = ''): Promise<string> {
  const path = join(folder, name)
  const save = `require('fs').writeFileSync(${JSON.stringify(record)}, JSON.stringify({ argv: process.argv.slice(2), env: process.env, name: ${JSON.stringify(name)} }))`
  await writeFile(path, `#!${process.execPath}\n${save}\n${then}\n`)
  await chmod(path, 0o755)
  return path
}

async function recorded(): Promise<{ argv: string[]; env: Record<string, string>; name: string }> {
  return JSON.parse(await readFile(record, 'utf8'))
}

function environment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return { HOME: folder, PATH: [folder, '/nowhere at all'].join(delimiter), ...more }
}

// Scripts stand in for programs, which Windows starts by their suffix only.
describe.skipIf(process.platform === 'win32')('opening a log', () => {
  it('hands the path over as one argument, whatever letters it has', async () => {
    const command = await editor('My Ëditor 7')
    expect(await openInEditor(log, command, environment())).toEqual({ ok: true, value: 'My Ëditor 7' })
    expect((await recorded()).argv).toEqual([log])
  })

  it('reads arguments and quotes in the chosen command, but no shell does', async () => {
    const command = await editor('my editor')
    const chosen = `"${command}" --new-window '$HOME; rm -rf "x"'`
    expect(await openInEditor(log, chosen, environment())).toMatchObject({ ok: true })
    expect((await recorded()).argv).toEqual(['--new-window', '$HOME; rm -rf "x"', log])
  })

  it('finds the chosen command on PATH', async () => {
    await editor('tiny-editor')
    expect(await openInEditor(log, 'tiny-editor -w', environment())).toEqual({ ok: true, value: 'tiny-editor' })
    expect((await recorded()).argv).toEqual(['-w', log])
  })

  it('does not wait for an editor that stays', async () => {
    const command = await editor('stays', 'setTimeout(() => {}, 3000)')
    expect(await openInEditor(log, command, environment())).toMatchObject({ ok: true })
    expect((await recorded()).argv).toEqual([log])
  })

  it('keeps what would turn an Electron editor into plain Node to itself', async () => {
    const command = await editor('clean')
    await openInEditor(
      log,
      command,
      environment({ ELECTRON_RUN_AS_NODE: '1', NODE_OPTIONS: '--no-warnings', KEPT: 'yes' }),
    )
    const { env } = await recorded()
    expect(env).toMatchObject({ KEPT: 'yes' })
    expect(env).not.toHaveProperty('ELECTRON_RUN_AS_NODE')
    expect(env).not.toHaveProperty('NODE_OPTIONS')
  })

  it.each([
    ['is not there', '/nowhere/editor', 'was not found'],
    ['is not on PATH', 'no-such-editor --wait', 'was not found'],
    ['cannot be read', '"open quote', 'cannot be read'],
  ])('says so where the chosen editor %s, and how to choose another', async (_name, chosen, words) => {
    const refused = await openInEditor(log, chosen, environment())
    expect(refused).toMatchObject({ ok: false, error: { code: 'editor_failed', path: log } })
    expect(refused.ok ? '' : refused.error.message).toContain(words)
    expect(refused.ok ? '' : refused.error.message).toContain('Settings → Editor')
  })

  it('says so where the chosen editor dies at once, and tries no other', async () => {
    await editor('code')
    const dies = await editor('dies', 'process.exit(3)')
    const refused = await openInEditor(log, dies, environment())
    expect(refused).toMatchObject({ ok: false, error: { code: 'editor_failed' } })
    expect(refused.ok ? '' : refused.error.message).toContain('dies ended at once (exit code 3)')
    expect((await recorded()).name).toBe('dies')
  })

  it('says so where the chosen editor is killed at once', async () => {
    const killed = await editor('killed', "process.kill(process.pid, 'SIGSEGV')")
    const refused = await openInEditor(log, killed, environment())
    expect(refused.ok ? '' : refused.error.message).toContain('SIGSEGV')
  })

  it('says so where the chosen file is no program', async () => {
    const path = join(folder, 'broken')
    await writeFile(path, 'neither script nor binary')
    await chmod(path, 0o755)
    expect(await openInEditor(log, path, environment())).toMatchObject({ ok: false, error: { code: 'editor_failed' } })
  })

  it('says that the log is gone', async () => {
    await rm(log)
    const refused = await openInEditor(log, await editor('any'), environment())
    expect(refused).toMatchObject({ ok: false, error: { code: 'log_missing', path: log } })
  })
})

describe.skipIf(process.platform !== 'linux')('with no editor chosen', () => {
  it('takes one it knows, and the next where that fails', async () => {
    await editor('code', 'process.exit(1)')
    await editor('zed')
    expect(await openInEditor(log, null, environment())).toEqual({ ok: true, value: 'Zed' })
    expect(await recorded()).toMatchObject({ name: 'zed', argv: [log] })
  })

  it('takes $VISUAL where it has a window, else the system’s', async () => {
    await editor('own-editor')
    await editor('xdg-open')
    expect(await openInEditor(log, null, environment({ VISUAL: 'own-editor -x', EDITOR: 'vim' }))).toMatchObject({
      value: 'own-editor',
    })
    expect(await recorded()).toMatchObject({ name: 'own-editor', argv: ['-x', log] })
    await editor('vim')
    await openInEditor(log, null, environment({ VISUAL: 'vim', EDITOR: 'nano' }))
    expect(await recorded()).toMatchObject({ name: 'xdg-open', argv: [log] })
  })

  it('says that there is none', async () => {
    const refused = await openInEditor(log, null, environment())
    expect(refused).toMatchObject({ ok: false, error: { code: 'editor_failed' } })
    expect(refused.ok ? '' : refused.error.message).toContain('No editor was found')
  })

  it('lists those that are there by name and place', async () => {
    const zed = await editor('zeditor')
    const code = await editor('code')
    await writeFile(join(folder, 'kate'), 'not executable')
    expect(await findEditors(environment())).toEqual([
      { label: 'Visual Studio Code', command: code },
      { label: 'Zed', command: zed },
    ])
  })
})

describe('editors that need a terminal', () => {
  it.each(['vim', '/usr/bin/nano', 'nvim', 'hx'])('%s does', (name) => expect(hasOwnWindow(name)).toBe(false))
  it.each(['code', '/opt/x/gvim', 'my-editor'])('%s does not', (name) => expect(hasOwnWindow(name)).toBe(true))
})
