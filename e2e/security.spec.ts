import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { NAVIGATOR_CALLS, TOOL_CALLS } from '../src/shared/bridge.ts'
import { expect, test } from './app.ts'

// Electron's security list, item by item (engineering §3.1).

test('the page is sandboxed and isolated, with no Node and nothing experimental', async ({ launch }) => {
  const { app, page } = await launch()
  const preferences = await app.evaluate(({ BrowserWindow }) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents
    // Not in Electron's types, but in every version from 33 on.
    const read: unknown = contents && Reflect.get(contents, 'getLastWebPreferences')
    const found: Record<string, unknown> = typeof read === 'function' ? Reflect.apply(read, contents, []) : {}
    return found
  })
  expect(preferences).toMatchObject({ sandbox: true, contextIsolation: true, nodeIntegration: false })
  expect(preferences['webSecurity']).not.toBe(false)
  for (const name of ['allowRunningInsecureContent', 'experimentalFeatures', 'nodeIntegrationInWorker', 'webviewTag']) {
    expect(preferences[name] ?? false, name).toBe(false)
  }
  expect(preferences['enableBlinkFeatures'] ?? '').toBe('')
  const globals = await page.evaluate(() => [
    typeof Reflect.get(globalThis, 'require'),
    typeof Reflect.get(globalThis, 'process'),
    typeof Reflect.get(globalThis, 'Buffer'),
  ])
  expect(globals).toEqual(['undefined', 'undefined', 'undefined'])
})

test('the bridge is exactly the table, and cannot be changed', async ({ launch }) => {
  const { page } = await launch()
  const found = await page.evaluate(() => {
    const { treeline } = window
    return {
      tools: Object.keys(treeline),
      navigator: Object.keys(treeline.navigator),
      frozen: [Object.isFrozen(treeline), Object.isFrozen(treeline.navigator)],
      kinds: [...Object.values(treeline.navigator), treeline.session_create].map((value) => typeof value),
    }
  })
  expect(found.tools.toSorted()).toEqual([...TOOL_CALLS, 'navigator'].toSorted())
  expect(found.navigator.toSorted()).toEqual([...NAVIGATOR_CALLS, 'on'].toSorted())
  expect(found.frozen).toEqual([true, true])
  expect(new Set(found.kinds)).toEqual(new Set(['function']))
})

test('a listener gets the value only, and its unsubscribe works', async ({ launch }) => {
  const { app, page } = await launch()
  await page.evaluate(() => {
    const heard: unknown[][] = []
    const stop = window.treeline.navigator.on('notice', (...values: unknown[]) => heard.push(values))
    Object.assign(window, { heard, stop })
  })
  const send = (message: string): Promise<void> =>
    app.evaluate(({ BrowserWindow }, text) => {
      BrowserWindow.getAllWindows()[0]?.webContents.send('treeline:notice', { code: 'internal', message: text })
    }, message)
  await send('one')
  await expect
    .poll(() => page.evaluate(() => Reflect.get(window, 'heard')))
    .toEqual([[{ code: 'internal', message: 'one' }]])
  await page.evaluate(() => Reflect.get(window, 'stop')())
  await send('two')
  await page.evaluate(() => window.treeline.navigator.snapshot())
  expect(await page.evaluate(() => Reflect.get(window, 'heard').length)).toBe(1)
  const unknown = page.evaluate(() => {
    const on: (...values: unknown[]) => void = Reflect.get(Object(window.treeline.navigator), 'on')
    on('made-up', () => undefined)
  })
  await expect(unknown).rejects.toThrow('no push')
})

test('every permission is denied', async ({ launch }) => {
  const { page, home } = await launch()
  const answers = await page.evaluate(async () => {
    const descriptors = [{ name: 'geolocation' }, { name: 'notifications' }, { name: 'persistent-storage' }] as const
    const states = await Promise.all(descriptors.map((each) => window.navigator.permissions.query(each)))
    return [await Notification.requestPermission(), ...states.map(({ state }) => state)]
  })
  expect(answers).toEqual(['denied', 'denied', 'denied', 'denied'])
  const log = (): Promise<string> => readFile(join(home, 'treeline', 'treeline.log'), 'utf8').catch(() => '')
  await expect.poll(log).toContain('The permission "notifications" was asked for and denied.')
})

test('the content policy stops what is not ours, and the window itself never breaks it', async ({ launch }) => {
  const { page } = await launch()
  await page.addInitScript(() => {
    const violations: string[] = []
    Object.assign(window, { violations })
    document.addEventListener('securitypolicyviolation', (event) => violations.push(event.effectiveDirective))
  })
  await page.reload()
  await page.waitForSelector('html[data-ready="true"]', { state: 'attached' })
  const seen = (): Promise<string[]> => page.evaluate(() => Reflect.get(window, 'violations'))
  expect(await seen()).toEqual([])
  const assigned = await page.evaluate(async () => {
    const sheet = document.createElement('link')
    sheet.rel = 'stylesheet'
    sheet.href = 'https://example.org/x.css'
    document.head.append(sheet)
    const box = document.createElement('div')
    box.setAttribute('style', 'color: red')
    const image = document.createElement('img')
    image.src = 'https://example.org/x.png'
    const frame = document.createElement('iframe')
    frame.src = 'https://example.org/'
    document.body.append(box, image, frame)
    await fetch('https://example.org/').catch(() => undefined)
    try {
      document.createElement('script').src = 'https://example.org/x.js'
      return 'assigned'
    } catch (error) {
      return error instanceof TypeError ? 'refused' : 'failed'
    }
  })
  expect(assigned).toBe('refused')
  await expect
    .poll(async () => (await seen()).toSorted())
    .toEqual(['connect-src', 'frame-src', 'img-src', 'require-trusted-types-for', 'style-src-attr', 'style-src-elem'])
})

test('files outside the bundle cannot be had', async ({ launch }) => {
  const { page } = await launch()
  const statuses = await page.evaluate(async () => {
    const paths = ['/index.html', '/%2e%2e/main/index.js', '/..%2fmain%2findex.js', '/%2e%2e%2f%2e%2e%2fpackage.json']
    const answers = await Promise.allSettled([...paths, '/none.js', 'file:///etc/passwd'].map((path) => fetch(path)))
    return answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.status : 'refused'))
  })
  expect(statuses).toEqual([200, 404, 404, 404, 404, 'refused'])
})

test('no other window and no guest page is opened', async ({ launch }) => {
  const { app, page } = await launch()
  const opened = await page.evaluate(() => {
    const guest = document.createElement('webview')
    guest.setAttribute('src', 'app://bundle/index.html')
    document.body.append(guest)
    return window.open('https://example.org/')
  })
  expect(opened).toBeNull()
  expect(await app.evaluate(({ webContents }) => webContents.getAllWebContents().length)).toBe(1)
})

test('only our own top frame is answered', async ({ launch }) => {
  const { app } = await launch()
  const answers = await app.evaluate(async ({ BrowserWindow, app: electron }) => {
    const own = BrowserWindow.getAllWindows()[0]
    const preload = `${electron.getAppPath()}/out/preload/index.cjs`
    const stranger = new BrowserWindow({ show: false, webPreferences: { sandbox: true, preload } })
    await stranger.loadURL('about:blank')
    const call = 'window.treeline.navigator.snapshot()'
    const answer: unknown = await stranger.webContents.executeJavaScript(call)
    const ours: unknown = await own?.webContents.executeJavaScript(call)
    stranger.destroy()
    return { answer, ours }
  })
  expect(answers.answer).toMatchObject({
    ok: false,
    error: { code: 'internal', message: expect.stringContaining('may not call') },
  })
  expect(answers.ours).toMatchObject({ ok: true })
})

test('what is no id, no number or no known field is refused, and nothing is made', async ({ launch }) => {
  const { page, home } = await launch()
  const codes = await page.evaluate(async () => {
    const { navigator: calls } = window.treeline
    const invoke = async (name: string, ...values: unknown[]): Promise<string> => {
      const answer: { ok: boolean; error?: { code: string } } = await Reflect.get(calls, name)(...values)
      return answer.error?.code ?? 'ok'
    }
    return Promise.all([
      invoke('details', '../../outside'),
      invoke('open_log', '/etc/passwd'),
      invoke('reveal_log', { toString: () => 'session-1' }.toString()),
      invoke('rename', '..', 'x'),
      invoke('read_log', 'session-1', { lines: -1 }),
      invoke('read_log', 'session-1', { lines: 5, path: '/etc/passwd' }),
      invoke('copy', 'session-1', 'everything'),
      invoke('import_start', '/etc'),
      invoke('settings_change', { theme: 'blue' }),
      invoke('settings_change', { __proto__: null, shell: 'rm' }),
    ])
  })
  expect(codes).toEqual([
    'invalid_session_id',
    'invalid_session_id',
    'unknown_session',
    'invalid_session_id',
    'invalid_request',
    'invalid_request',
    'invalid_request',
    'invalid_request',
    'settings_invalid',
    'settings_invalid',
  ])
  expect(await readdir(join(home, 'treeline'))).not.toContain('settings.json')
})

test('only web addresses go to the system', async ({ launch }) => {
  const { app, page } = await launch()
  await app.evaluate(({ shell }) => {
    const opened: string[] = []
    Object.assign(globalThis, { opened })
    shell.openExternal = async (address) => void opened.push(address)
  })
  const codes = await page.evaluate(async () => {
    const answers = []
    for (const address of ['https://example.org/a?b', 'file:///etc/passwd', 'javascript:alert(1)', 'smb://host/x']) {
      const answer = await window.treeline.navigator.open_link(address)
      answers.push(answer.ok ? 'ok' : answer.error.code)
    }
    return answers
  })
  expect(codes).toEqual(['ok', 'invalid_request', 'invalid_request', 'invalid_request'])
  expect(await app.evaluate(() => Reflect.get(globalThis, 'opened'))).toEqual(['https://example.org/a?b'])
})

// Last in its own test: after a prevented navigation Playwright's locators wait for ever (engineering §0.9).
test('the window goes nowhere else', async ({ launch }) => {
  const { app, page } = await launch()
  const before = page.url()
  await page.evaluate(() => {
    location.href = 'https://example.org/'
  })
  await page.evaluate(() => {
    location.href = 'file:///etc/passwd'
  })
  await page.evaluate(() => window.treeline.navigator.snapshot())
  const address = await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.getURL())
  expect(address).toBe(before)
  expect(before).toBe('app://bundle/index.html')
})
