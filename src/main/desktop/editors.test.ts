import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, delimiter, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
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

/** A real executable that writes down its name and arguments, then does what `then` says. */
async function editor(name: string, then = ''): Promise<string> {
  const path = join(folder, name)
  // Written apart and moved, so that what is there is whole.
  const save = `printf '%s\\0' "$0" "$@" > "${record}.part" && ${MOVE} "${record}.part" "${record}"`
  await writeFile(path, `#!/bin/sh\n${save}\n${then}\n`)
  await chmod(path, 0o755)
  return path
}

/** The scripts get no PATH that leads to programs. */
const MOVE = existsSync('/bin/mv') ? '/bin/mv' : '/usr/bin/mv'

/** What was recorded, once it is: the editor's name, then its arguments. */
async function recorded(): Promise<string[]> {
  await vi.waitUntil(() => existsSync(record), { timeout: 20_000, interval: 10 })
  const [path = '', ...values] = (await readFile(record, 'utf8')).split('\0').slice(0, -1)
  return [basename(path), ...values]
}

/** On a busy machine a script may take long to end; how long is not what is tested. */
const PATIENTLY = 20_000
const open = (path: string, chosen: string | null, given: NodeJS.ProcessEnv): ReturnType<typeof openInEditor> =>
  openInEditor(path, chosen, given, PATIENTLY)

function environment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return { HOME: folder, PATH: [folder, '/nowhere at all'].join(delimiter), ...more }
}

// Scripts stand in for programs, which Windows starts by their suffix only.
describe.skipIf(process.platform === 'win32')('opening a log', () => {
  it('hands the path over as one argument, whatever letters it has', async () => {
    const command = await editor('My Ëditor 7')
    expect(await open(log, command, environment())).toEqual({ ok: true, value: 'My Ëditor 7' })
    expect(await recorded()).toEqual(['My Ëditor 7', log])
  })

  it('reads arguments and quotes in the chosen command, but no shell does', async () => {
    const command = await editor('my editor')
    const chosen = `"${command}" --new-window '$HOME; rm -rf "x"'`
    expect(await open(log, chosen, environment())).toMatchObject({ ok: true })
    expect(await recorded()).toEqual(['my editor', '--new-window', '$HOME; rm -rf "x"', log])
  })

  it('finds the chosen command on PATH', async () => {
    await editor('tiny-editor')
    expect(await open(log, 'tiny-editor -w', environment())).toEqual({ ok: true, value: 'tiny-editor' })
    expect(await recorded()).toEqual(['tiny-editor', '-w', log])
  })

  it('does not wait for an editor that stays', async () => {
    const stays = await editor('stays', 'while [ -e "$1" ]; do :; done')
    expect(await openInEditor(log, stays, environment(), 50)).toMatchObject({ ok: true })
    expect(await recorded()).toEqual(['stays', log])
  })

  it('keeps what would turn an Electron editor into plain Node to itself', async () => {
    const names = '"${ELECTRON_RUN_AS_NODE-none}" "${NODE_OPTIONS-none}" "${KEPT-none}"'
    const command = await editor('clean', `printf '%s\\0' ${names} > "${record}"`)
    const given = environment({ ELECTRON_RUN_AS_NODE: '1', NODE_OPTIONS: '--no-warnings', KEPT: 'yes' })
    expect(await open(log, command, given)).toMatchObject({ ok: true })
    expect((await readFile(record, 'utf8')).split('\0')).toEqual(['none', 'none', 'yes', ''])
  })

  it.each([
    ['is not there', '/nowhere/editor', 'was not found'],
    ['is not on PATH', 'no-such-editor --wait', 'was not found'],
    ['cannot be read', '"open quote', 'cannot be read'],
  ])('says so where the chosen editor %s, and how to choose another', async (_name, chosen, words) => {
    const refused = await open(log, chosen, environment())
    expect(refused).toMatchObject({ ok: false, error: { code: 'editor_failed', path: log } })
    expect(refused.ok ? '' : refused.error.message).toContain(words)
    expect(refused.ok ? '' : refused.error.message).toContain('Settings → Editor')
  })

  it('says so where the chosen editor dies at once, and tries no other', async () => {
    await editor('code')
    const dies = await editor('dies', 'exit 3')
    const refused = await open(log, dies, environment())
    expect(refused).toMatchObject({ ok: false, error: { code: 'editor_failed' } })
    expect(refused.ok ? '' : refused.error.message).toContain('dies ended at once (exit code 3)')
    expect(await recorded()).toEqual(['dies', log])
  })

  it('says so where the chosen editor is killed at once', async () => {
    const killed = await editor('killed', 'kill -SEGV $$')
    const refused = await open(log, killed, environment())
    expect(refused.ok ? '' : refused.error.message).toContain('SIGSEGV')
  })

  it('says so where the chosen file is no program', async () => {
    const path = join(folder, 'broken')
    await writeFile(path, 'neither script nor binary')
    await chmod(path, 0o755)
    expect(await open(log, path, environment())).toMatchObject({ ok: false, error: { code: 'editor_failed' } })
  })

  it('says that the log is gone', async () => {
    await rm(log)
    const refused = await open(log, await editor('any'), environment())
    expect(refused).toMatchObject({ ok: false, error: { code: 'log_missing', path: log } })
  })
})

describe.skipIf(process.platform !== 'linux')('with no editor chosen', () => {
  it('takes one it knows, and the next where that fails', async () => {
    await editor('code', 'exit 1')
    await editor('zed')
    expect(await open(log, null, environment())).toEqual({ ok: true, value: 'Zed' })
    expect(await recorded()).toEqual(['zed', log])
  })

  it('takes $VISUAL where it has a window, else the system’s', async () => {
    await editor('own-editor')
    await editor('xdg-open')
    expect(await open(log, null, environment({ VISUAL: 'own-editor -x', EDITOR: 'vim' }))).toMatchObject({
      value: 'own-editor',
    })
    expect(await recorded()).toEqual(['own-editor', '-x', log])
    await editor('vim')
    await open(log, null, environment({ VISUAL: 'vim', EDITOR: 'nano' }))
    expect(await recorded()).toEqual(['xdg-open', log])
  })

  it('says that there is none', async () => {
    const refused = await open(log, null, environment())
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
