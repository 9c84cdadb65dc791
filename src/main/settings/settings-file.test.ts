import { chmod, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { changeSettings, readSettings } from './settings-file.ts'
import { DEFAULT_SETTINGS } from './settings.ts'

let folder: string
let path: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'treeline-settings-'))
  path = join(folder, 'treeline', 'settings.json')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Puts a file there without asking the code under test. */
async function given(text: string): Promise<void> {
  await changeSettings(path, {})
  await writeFile(path, text)
}

describe('reading settings', () => {
  it('answers the defaults where there is no file, and makes none', async () => {
    expect(await readSettings(path)).toEqual({ settings: DEFAULT_SETTINGS })
    expect(await readdir(folder)).toEqual([])
  })

  it('answers what is there, with defaults for the rest', async () => {
    await given('{"theme":"dark","editor":"zed"}')
    expect(await readSettings(path)).toEqual({ settings: { ...DEFAULT_SETTINGS, theme: 'dark', editor: 'zed' } })
  })

  it('names each unsound field and keeps the sound ones', async () => {
    await given('{"theme":"blue","editor":7,"worktreePath":" ","worktreeBranch":"t/{slug}","agentsAtOnce":"all"}')
    const { settings, problem } = await readSettings(path)
    expect(settings).toEqual({ ...DEFAULT_SETTINGS, worktreeBranch: 't/{slug}' })
    expect(problem).toContain(path)
    expect(problem).toContain('"theme" must be "system", "light" or "dark"')
    expect(problem).toContain('"editor" must be a text or null')
    expect(problem).toContain('"worktreePath" must not be empty')
    expect(problem).toContain('"agentsAtOnce" must be a whole number from 1 to 64')
  })

  it.each(['{"theme":"da', '', '[]', 'null', '"dark"'])('answers the defaults and a sentence for %j', async (text) => {
    await given(text)
    const { settings, problem } = await readSettings(path)
    expect(settings).toEqual(DEFAULT_SETTINGS)
    expect(problem).toMatch(/\.$/)
    expect(await readFile(path, 'utf8')).toBe(text)
  })
})

describe('changing settings', () => {
  it('writes a private file, and answers all settings', async () => {
    const changed = await changeSettings(path, { theme: 'light' })
    expect(changed).toEqual({ ok: true, value: { ...DEFAULT_SETTINGS, theme: 'light' } })
    expect((await readSettings(path)).settings.theme).toBe('light')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await readdir(join(folder, 'treeline'))).toEqual(['settings.json'])
  })

  it('keeps fields it does not know', async () => {
    await given('{"theme":"dark","presets":[{"id":"mine"}]}')
    await changeSettings(path, { editor: 'code' })
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
      ...DEFAULT_SETTINGS,
      theme: 'dark',
      editor: 'code',
      presets: [{ id: 'mine' }],
    })
  })

  it('keeps an unsound file aside before it takes its place', async () => {
    await given('{"theme":"da')
    await changeSettings(path, { theme: 'dark' })
    expect(await readFile(`${path}.bad`, 'utf8')).toBe('{"theme":"da')
    expect(await readSettings(path)).toEqual({ settings: { ...DEFAULT_SETTINGS, theme: 'dark' } })
  })

  it.each([
    [{ theme: 'blue' }, 'theme'],
    [{ editor: '  ' }, 'editor'],
    [{ editor: 'a\0b' }, 'editor'],
    [{ worktreePath: ['/x'] }, 'worktreePath'],
    [{ agentsAtOnce: 0 }, 'agentsAtOnce'],
    [{ agentsAtOnce: 2.5 }, 'agentsAtOnce'],
    [{ agentsAtOnce: 65 }, 'agentsAtOnce'],
    [{ budgetReserve: -1 }, 'budgetReserve'],
    [{ budgetReserve: '10' }, 'budgetReserve'],
    [{ colour: 'red' }, 'colour'],
    [{ __proto__: null, constructor: 'x' }, 'constructor'],
  ])('refuses %j and writes nothing', async (change, field) => {
    const refused = await changeSettings(path, change)
    expect(refused).toMatchObject({ ok: false, error: { code: 'settings_invalid', field } })
    expect(await readdir(folder)).toEqual([])
  })

  it.each([null, [], 'dark', 5])('refuses %j', async (change) => {
    expect(await changeSettings(path, change)).toMatchObject({ ok: false, error: { code: 'settings_invalid' } })
  })

  it('lets no change undo another that was made at the same time', async () => {
    await Promise.all([
      changeSettings(path, { theme: 'dark' }),
      changeSettings(path, { editor: 'zed' }),
      changeSettings(path, { worktreeBranch: 'x/{slug}-{id}' }),
    ])
    expect((await readSettings(path)).settings).toEqual({
      ...DEFAULT_SETTINGS,
      theme: 'dark',
      editor: 'zed',
      worktreeBranch: 'x/{slug}-{id}',
    })
  })

  // As root every folder can be written to.
  it.skipIf(process.getuid?.() === 0)('says so where the folder cannot be written to', async () => {
    await given('{"theme":"dark"}')
    await chmod(join(folder, 'treeline'), 0o500)
    const refused = await changeSettings(path, { theme: 'light' })
    await chmod(join(folder, 'treeline'), 0o700)
    expect(refused).toMatchObject({ ok: false, error: { code: 'io_failed', path } })
    expect((await readSettings(path)).settings.theme).toBe('dark')
  })

  it('never replaces what it cannot read', async () => {
    const folderInItsPlace = join(folder, 'settings.json')
    await changeSettings(path, {})
    const { mkdir } = await import('node:fs/promises')
    await mkdir(folderInItsPlace)
    const refused = await changeSettings(folderInItsPlace, { theme: 'dark' })
    expect(refused).toMatchObject({ ok: false, error: { code: 'io_failed', path: folderInItsPlace } })
    expect(await readdir(folderInItsPlace)).toEqual([])
  })
})
