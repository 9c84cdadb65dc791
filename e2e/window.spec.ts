import { spawn } from 'node:child_process'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ElectronApplication } from '@playwright/test'
import { expect, launchApp } from './app.ts'
import { electronRuntime } from './electron-runtime.ts'
import { test } from './home.ts'

// The window itself: how it starts, where it stands, what its pictures are. What is in it has tests of its own.

test.describe('start and end', () => {
  test('an empty home opens, keeps its own files below it, and says that nothing is there', async ({
    launch,
    home,
  }) => {
    const { app, page } = await launch({ home })
    const snapshot = await page.evaluate(() => window.treeline.navigator.snapshot())
    expect(snapshot).toMatchObject({
      ok: true,
      value: { home, complete: true, sessions: [], unreadable: [], notices: [] },
    })
    expect(await app.evaluate((electron) => electron.app.getPath('userData'))).toBe(join(home, 'treeline', 'profile'))
    expect((await stat(join(home, 'treeline'))).mode & 0o777).toBe(0o700)
    expect(await readdir(home)).toEqual(['treeline'])
  })

  test('a second start on the same home brings the first to the front and ends', async ({ launch, home }) => {
    const { app } = await launch({ home })
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.hide())
    await expect(launchApp({ home })).rejects.toThrow()
    const isVisible = (): Promise<boolean | undefined> =>
      app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible())
    await expect.poll(isVisible).toBe(true)
  })

  test('two homes have two windows at once', async ({ launch, home }) => {
    const one = await launch({ home })
    const other = await launch()
    const titles = await Promise.all([one.page.title(), other.page.title()])
    expect(titles).toHaveLength(2)
    expect(other.home).not.toBe(home)
  })

  test('a start after a kill owns the home like any other', async ({ launch, home }) => {
    const first = await launch({ home })
    const ended = new Promise((resolve) => first.app.process().once('exit', resolve))
    first.app.process().kill('SIGKILL')
    await ended
    const { page } = await launch({ home })
    const created = await page.evaluate((cwd) => window.treeline.session_create({ prompt: 'Go on', cwd }), home)
    expect(created).toMatchObject({ ok: true, value: { kind: 'main' } })
  })
})

test.describe('the place of the window', () => {
  test('comes back', async ({ launch, home }) => {
    const place = { x: 40, y: 60, width: 901, height: 607 }
    const first = await launch({ home })
    await first.app.evaluate(({ BrowserWindow }, bounds) => BrowserWindow.getAllWindows()[0]?.setBounds(bounds), place)
    await first.close()
    const second = await launch({ home })
    expect(await boundsOf(second.app)).toEqual(place)
  })

  for (const [name, text] of [
    ['on a screen that is gone', '{"window":{"bounds":{"x":5000,"y":-2000,"width":3840,"height":2160}}}'],
    ['without a width', '{"window":{"bounds":{"x":0,"y":0,"width":0,"height":10}}}'],
    ['in a file cut in half', '{"window":{"bounds":{"x":50'],
  ] as const) {
    test(`saved ${name} is one on a screen that is there`, async ({ launch, home }) => {
      await mkdir(join(home, 'treeline'), { mode: 0o700 })
      await writeFile(join(home, 'treeline', 'window.json'), text)
      const { app } = await launch({ home })
      const area = await app.evaluate(({ screen }) => screen.getPrimaryDisplay().workArea)
      const bounds = await boundsOf(app)
      expect(bounds.x).toBeGreaterThanOrEqual(area.x)
      expect(bounds.y).toBeGreaterThanOrEqual(area.y)
      expect(bounds.x + 120).toBeLessThanOrEqual(area.x + area.width)
      expect(bounds.y + 28).toBeLessThanOrEqual(area.y + area.height)
    })
  }

  test('has the theme at once, in the page and behind it', async ({ launch }) => {
    const { app, page } = await launch({ colorScheme: null })
    for (const [theme, ground] of [
      ['dark', '#161917'],
      ['light', '#FFFFFF'],
    ] as const) {
      await page.evaluate((value) => window.treeline.navigator.settings_change({ theme: value }), theme)
      await expect
        .poll(() => page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches))
        .toBe(theme === 'dark')
      const behind = await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getBackgroundColor())
      expect(behind).toBe(ground)
    }
  })
})

test.describe('a picture', () => {
  test('is saved, in its fixed size, and the app ends well', async ({ home }) => {
    const file = join(home, 'picture ü.png')
    expect(await start(['--home', home, '--capture', file])).toMatchObject({ code: 0 })
    const png = await readFile(file)
    expect(png.subarray(1, 4).toString()).toBe('PNG')
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1440, 900])
  })

  test('that cannot be saved ends the app with a sentence', async ({ home }) => {
    const { code, stderr } = await start(['--home', home, '--capture', join(home, 'no such folder', 'x.png')])
    expect(stderr).toContain('The picture could not be saved')
    expect(code).toBe(1)
  })

  test('is refused while a window has the home', async ({ launch, home }) => {
    await launch({ home })
    const { code, stderr } = await start(['--home', home, '--capture', join(home, 'x.png')])
    expect(stderr).toContain('A window is open')
    expect(code).toBe(1)
  })

  test('is not made where the flags do not fit', async ({ home }) => {
    const { code, stderr } = await start(['--sample', '--home', home])
    expect(stderr).toContain('--sample')
    expect(code).toBe(2)
  })
})

function boundsOf(app: ElectronApplication): Promise<{ x: number; y: number; width: number; height: number }> {
  return app.evaluate(
    ({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getBounds() ?? { x: -1, y: -1, width: 0, height: 0 },
  )
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
