import { execFile, spawn } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test, type ElectronApplication } from '@playwright/test'
import { treeOnDisk, type TreeOnDisk } from '../src/main/navigator/testing/tree-on-disk.ts'
import type { TreelineBridge } from '../src/shared/bridge.ts'
import { launchApp, temporaryFolder, withApp } from './app.ts'
import { electronRuntime } from './electron-runtime.ts'

declare global {
  interface Window {
    readonly treeline: TreelineBridge
  }
}

const run = promisify(execFile)

test.describe('start and end', () => {
  test('an empty home opens, keeps its own files below it, and says that nothing is there', async () => {
    await withApp({}, async ({ app, page, home }) => {
      const snapshot = await page.evaluate(() => window.treeline.navigator.snapshot())
      expect(snapshot).toMatchObject({
        ok: true,
        value: { home, complete: true, sessions: [], unreadable: [], notices: [] },
      })
      expect(await app.evaluate(({ app: electron }) => electron.getPath('userData'))).toBe(
        join(home, 'treeline', 'profile'),
      )
      expect((await stat(join(home, 'treeline'))).mode & 0o777).toBe(0o700)
      expect(await readdir(home)).toEqual(['treeline'])
    })
  })

  test('a second start on the same home brings the first to the front and ends', async () => {
    await withApp({}, async ({ app, home }) => {
      await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.hide())
      await expect(launchApp({ home })).rejects.toThrow()
      const isVisible = (): Promise<boolean | undefined> =>
        app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible())
      await expect.poll(isVisible).toBe(true)
    })
  })

  test('two homes have two windows at once', async () => {
    await withApp({}, (one) => withApp({}, async (other) => expect(other.home).not.toBe(one.home)))
  })

  test('a start after a kill is a start like any other', async () => {
    const home = await temporaryFolder('home')
    try {
      const first = await launchApp({ home })
      first.app.process().kill('SIGKILL')
      await first.close().catch(() => undefined)
      await withApp({ home }, async ({ page }) => {
        const created = await page.evaluate((cwd) => window.treeline.session_create({ prompt: 'Go on', cwd }), home)
        expect(created).toMatchObject({ ok: true, value: { kind: 'main' } })
      })
    } finally {
      await rm(home, { recursive: true, force: true })
    }
  })
})

test.describe('the place of the window', () => {
  test('comes back', async () => {
    const home = await temporaryFolder('home')
    try {
      const place = { x: 40, y: 60, width: 901, height: 607 }
      await withApp({ home }, ({ app }) =>
        app.evaluate(({ BrowserWindow }, bounds) => BrowserWindow.getAllWindows()[0]?.setBounds(bounds), place),
      )
      await withApp({ home }, async ({ app }) => expect(await boundsOf(app)).toEqual(place))
    } finally {
      await rm(home, { recursive: true, force: true })
    }
  })

  for (const [name, text] of [
    ['on a screen that is gone', '{"window":{"bounds":{"x":5000,"y":-2000,"width":3840,"height":2160}}}'],
    ['without a width', '{"window":{"bounds":{"x":0,"y":0,"width":0,"height":10}}}'],
    ['in a file cut in half', '{"window":{"bounds":{"x":50'],
  ] as const) {
    test(`saved ${name} is one on a screen that is there`, async () => {
      const home = await temporaryFolder('home')
      try {
        await mkdir(join(home, 'treeline'), { mode: 0o700 })
        await writeFile(join(home, 'treeline', 'window.json'), text)
        await withApp({ home }, async ({ app }) => {
          const area = await app.evaluate(({ screen }) => screen.getPrimaryDisplay().workArea)
          const bounds = await boundsOf(app)
          expect(bounds.x).toBeGreaterThanOrEqual(area.x)
          expect(bounds.y).toBeGreaterThanOrEqual(area.y)
          expect(bounds.x + 120).toBeLessThanOrEqual(area.x + area.width)
          expect(bounds.y + 28).toBeLessThanOrEqual(area.y + area.height)
        })
      } finally {
        await rm(home, { recursive: true, force: true })
      }
    })
  }

  test('the theme is followed at once, by the page and by what is behind it', async () => {
    await withApp({ colorScheme: null }, async ({ app, page }) => {
      const isDark = (): Promise<boolean> => page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)
      for (const [theme, ground] of [
        ['dark', '#161917'],
        ['light', '#FFFFFF'],
      ] as const) {
        await page.evaluate((value) => window.treeline.navigator.settings_change({ theme: value }), theme)
        await expect.poll(isDark).toBe(theme === 'dark')
        expect(await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getBackgroundColor())).toBe(
          ground,
        )
      }
    })
  })
})

test.describe('a picture', () => {
  let home: string
  test.beforeEach(async () => {
    home = await temporaryFolder('home')
  })
  test.afterEach(() => rm(home, { recursive: true, force: true }))

  test('is saved, in its fixed size, and the app ends well', async () => {
    const file = join(home, 'picture ü.png')
    const { code } = await start(['--home', home, '--capture', file])
    expect(code).toBe(0)
    const png = await readFile(file)
    expect(png.subarray(1, 4).toString()).toBe('PNG')
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1440, 900])
  })

  test('that cannot be saved ends the app with a sentence', async () => {
    const { code, stderr } = await start(['--home', home, '--capture', join(home, 'no such folder', 'x.png')])
    expect(code).toBe(1)
    expect(stderr).toContain('The picture could not be saved')
  })

  test('is refused while a window has the home', async () => {
    await withApp({ home }, async () => {
      const { code, stderr } = await start(['--home', home, '--capture', join(home, 'x.png')])
      expect(code).toBe(1)
      expect(stderr).toContain('A window is open')
    })
  })

  test('flags that do not fit end the app with a sentence', async () => {
    expect(await start(['--sample', '--home', home])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--sample'),
    })
  })
})

test.describe('a session in the window', () => {
  let disk: TreeOnDisk
  test.beforeEach(async () => {
    disk = await treeOnDisk()
  })
  test.afterEach(() => disk.remove())

  test('has a menu that says why an item is off, and opens its log in the chosen editor', async () => {
    const main = await disk.add({ kind: 'main', cwd: await disk.folder('Größe & 秃发') })
    const record = join(disk.home, 'recorded.json')
    const editor = join(disk.home, 'my ëditor')
    const save = `require('fs').writeFileSync(${JSON.stringify(record)}, JSON.stringify(process.argv.slice(2)))`
    await writeFile(editor, `#!${process.execPath}\n${save}\n`)
    await chmod(editor, 0o755)
    await withApp({ home: disk.home }, async ({ app, page }) => {
      await catchMenus(app)
      await page.evaluate((command) => window.treeline.navigator.settings_change({ editor: command }), editor)
      await page.evaluate((id) => window.treeline.navigator.show_session_menu(id, { x: 20.5, y: 30 }), main.id)
      expect(await menuItems(app)).toEqual([
        ['open', 'Open', true],
        ['rename', 'Rename…', true],
        ['fork', 'Fork Session…', true],
        ['fork-into-worktree', 'Fork into New Worktree… (not a Git repository)', false],
        ['open-log', 'Open Log in Editor', true],
        ['reveal-log', 'Reveal Log', true],
        ['copy', 'Copy', true],
      ])
      await clickItem(app, 'open-log')
      await expect.poll(() => readFile(record, 'utf8').catch(() => '')).toBe(JSON.stringify([main.logPath]))
      await clickItem(app, 'copy-log-path')
      await expect.poll(() => app.evaluate(({ clipboard }) => clipboard.readText())).toBe(main.logPath)
      await page.evaluate(() =>
        window.treeline.navigator.on('menu_command', (command) => Object.assign(window, { command })),
      )
      await clickItem(app, 'fork')
      await expect
        .poll(() => page.evaluate(() => Reflect.get(window, 'command')))
        .toEqual({ command: 'fork', session_id: main.id })
    })
  })

  test('says in words that the editor is not there', async () => {
    const main = await disk.add({ kind: 'main', cwd: await disk.folder('app') })
    await withApp({ home: disk.home }, async ({ page }) => {
      await page.evaluate(() => window.treeline.navigator.settings_change({ editor: '/nowhere/editor' }))
      const opened = await page.evaluate((id) => window.treeline.navigator.open_log(id), main.id)
      expect(opened).toMatchObject({
        ok: false,
        error: { code: 'editor_failed', message: expect.stringContaining('Settings') },
      })
    })
  })

  test('shows what other processes do: a new session, a longer log, a removed session', async () => {
    const cwd = await disk.folder('app')
    const main = await disk.add({ kind: 'main', cwd })
    await withApp({ home: disk.home }, async ({ page }) => {
      const ids = async (): Promise<string[]> => {
        const answer = await page.evaluate(() => window.treeline.navigator.snapshot())
        return answer.ok ? answer.value.sessions.map((session) => session.session_id) : []
      }
      await page.evaluate(async (id) => {
        window.treeline.navigator.on('log_changed', (change) => Object.assign(window, { change }))
        await window.treeline.navigator.watch([id], id)
      }, main.id)
      await disk.turn(main.id, 1)
      const { size } = await stat(main.logPath)
      await expect.poll(() => page.evaluate(() => Reflect.get(window, 'change')?.size), { timeout: 2000 }).toBe(size)
      const other = await disk.add({ kind: 'main', cwd })
      await expect.poll(ids, { timeout: 6000 }).toContain(other.id)
      await rm(other.directory, { recursive: true })
      await expect.poll(ids, { timeout: 6000 }).toEqual([main.id])
    })
  })

  test('a creation that runs when the window is closed leaves nothing half done', async () => {
    const cwd = await disk.folder('app')
    const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org']
    await run('git', ['init', '-q', '-b', 'trunk', cwd])
    await run('git', ['-C', cwd, ...identity, 'commit', '-q', '--allow-empty', '-m', 'one'])
    const started = join(disk.home, 'hook-started')
    const hook = join(cwd, '.git', 'hooks', 'post-checkout')
    await writeFile(hook, `#!/bin/sh\n: > "${started}"\nexec sleep 30\n`)
    await chmod(hook, 0o755)
    const main = await disk.add({ kind: 'main', cwd })
    await disk.turn(main.id, 1)
    await withApp({ home: disk.home }, async ({ page }) => {
      await page.evaluate((id) => {
        const request = { prompt: 'Try it', fork: true, worktree: true }
        void window.treeline.session_create(request, { as: id, call: 'one' })
      }, main.id)
      await expect
        .poll(() =>
          stat(started).then(
            () => true,
            () => false,
          ),
        )
        .toBe(true)
      const again = await page.evaluate(
        (id) =>
          window.treeline.session_create({ prompt: 'Try it', fork: true, worktree: true }, { as: id, call: 'two' }),
        main.id,
      )
      expect(again).toMatchObject({ ok: false, error: { code: 'already_running' } })
    })
    expect(await readdir(main.directory)).toEqual(['session.jsonl'])
    expect((await run('git', ['-C', cwd, 'branch', '--format=%(refname:short)'])).stdout).toBe('trunk\n')
    expect(
      (await run('git', ['-C', cwd, 'worktree', 'list', '--porcelain'])).stdout.match(/^worktree /gm),
    ).toHaveLength(1)
  })
})

function boundsOf(app: ElectronApplication): Promise<{ x: number; y: number; width: number; height: number }> {
  return app.evaluate(
    ({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getBounds() ?? { x: -1, y: -1, width: 0, height: 0 },
  )
}

/** Native menus cannot be clicked (engineering §0.8): they are kept instead of shown. */
async function catchMenus(app: ElectronApplication): Promise<void> {
  await app.evaluate(({ Menu }) => {
    const build = Menu.buildFromTemplate.bind(Menu)
    Menu.buildFromTemplate = (template) => {
      const menu = build(template)
      menu.popup = () => void Object.assign(globalThis, { shown: menu })
      return menu
    }
  })
}

async function menuItems(app: ElectronApplication): Promise<(readonly [string, string, boolean])[]> {
  return app.evaluate(() => {
    const menu: Electron.Menu = Reflect.get(globalThis, 'shown')
    return menu.items
      .filter((item) => item.type !== 'separator')
      .map((item) => [item.id, item.label, item.enabled] as const)
  })
}

async function clickItem(app: ElectronApplication, id: string): Promise<void> {
  await app.evaluate((_electron, wanted) => {
    const menu: Electron.Menu = Reflect.get(globalThis, 'shown')
    menu.getMenuItemById(wanted)?.click()
  }, id)
}

/** Starts the app without Playwright, as a person does, and waits for its end. */
async function start(values: readonly string[]): Promise<{ code: number | null; stderr: string }> {
  const { executable, args } = await electronRuntime()
  const flags = ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])]
  const child = spawn(executable, [...args, ...flags, ...values], { stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr.on('data', (text) => (stderr += String(text)))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, stderr }
}
