import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from './app.ts'
import { appendTurns, git, makeRepository, writeMain } from './fixtures.ts'
import { test } from './home.ts'
import { catchMenus, clickItem, menuItems } from './menus.ts'

// What main does for a session that the window asks it about: menu, editor, live updates, creations.

test('the row menu says why an item is off, and its items act', async ({ launch, home }) => {
  const cwd = join(home, 'Größe & 秃发')
  await mkdir(cwd)
  const main = await writeMain(home, { cwd, turns: [{ prompt: 'Do it' }] })
  const { app, page } = await launch({ home })
  await catchMenus(app)
  await page.evaluate((id) => window.treeline.navigator.show_session_menu(id, { x: 20.5, y: 30 }), main.id)
  expect(await menuItems(app)).toEqual([
    ['open', 'Open', true],
    ['rename', 'Rename…', true],
    ['fork', 'Fork Session…', true],
    ['fork-into-worktree', 'Fork into New Worktree… (not a Git repository)', false],
    ['open-log', 'Open Log in Editor', true],
    ['reveal-log', 'Reveal Log', true],
    ['copy', 'Copy', true],
    ['stop', 'Stop (nothing runs)', false],
  ])
  for (const [item, text] of [
    ['copy-session-id', main.id],
    ['copy-log-path', main.logPath],
    ['copy-cwd', cwd],
  ] as const) {
    await clickItem(app, item)
    await expect.poll(() => app.evaluate(({ clipboard }) => clipboard.readText())).toBe(text)
  }
  await page.evaluate(() => {
    window.treeline.navigator.on('menu_command', (command) => Object.assign(window, { command }))
  })
  await clickItem(app, 'fork')
  await expect
    .poll(() => page.evaluate(() => Reflect.get(window, 'command')))
    .toEqual({ command: 'fork', session_id: main.id })
})

test('a log opens in the chosen editor, whatever letters its path has', async ({ launch, home }) => {
  const odd = join(home, 'Zu Hause 秃发 $HOME')
  const main = await writeMain(odd, { cwd: home, turns: [{ prompt: 'Do it' }] })
  const record = join(home, 'recorded.json')
  const editor = join(home, 'my ëditor')
  const save = `require('fs').writeFileSync(${JSON.stringify(record)}, JSON.stringify(process.argv.slice(2)))`
  await writeFile(editor, `#!${process.execPath}\n${save}\n`)
  await chmod(editor, 0o755)
  const { page } = await launch({ home: odd })
  await page.evaluate((command) => window.treeline.navigator.settings_change({ editor: command }), editor)
  expect(await page.evaluate((id) => window.treeline.navigator.open_log(id), main.id)).toEqual({
    ok: true,
    value: null,
  })
  await expect.poll(() => readFile(record, 'utf8').catch(() => '')).toBe(JSON.stringify([main.logPath]))
})

test('an editor that is not there is a message that says how to choose another', async ({ launch, home }) => {
  const main = await writeMain(home, { cwd: home })
  const { page } = await launch({ home })
  await page.evaluate(() => window.treeline.navigator.settings_change({ editor: '/nowhere/editor' }))
  const opened = await page.evaluate((id) => window.treeline.navigator.open_log(id), main.id)
  expect(opened).toMatchObject({
    ok: false,
    error: { code: 'editor_failed', message: expect.stringContaining('Settings') },
  })
})

test('what other processes do shows: a longer log, a new session, a removed one', async ({ launch, home }) => {
  const main = await writeMain(home, { cwd: home, turns: [{ prompt: 'Do it' }] })
  const { page } = await launch({ home })
  const ids = async (): Promise<string[]> => {
    const answer = await page.evaluate(() => window.treeline.navigator.snapshot())
    return answer.ok ? answer.value.sessions.map((session) => session.session_id) : []
  }
  await page.evaluate(async (id) => {
    window.treeline.navigator.on('log_changed', (change) => Object.assign(window, { change }))
    await window.treeline.navigator.watch([id], id)
  }, main.id)
  await appendTurns(main, [{ prompt: 'And then' }])
  const { size } = await stat(main.logPath)
  await expect.poll(() => page.evaluate(() => Reflect.get(window, 'change')?.size), { timeout: 2000 }).toBe(size)
  const other = await writeMain(home, { cwd: home, turns: [{ prompt: 'Another' }] })
  await expect.poll(ids, { timeout: 6000 }).toContain(other.id)
  await rm(other.directory, { recursive: true })
  await expect.poll(ids, { timeout: 6000 }).toEqual([main.id])
})

test('a fork is made in the worktree that its preview showed', async ({ launch, home }) => {
  const cwd = join(home, 'src', 'app')
  await makeRepository(cwd)
  const main = await writeMain(home, { cwd, turns: [{ prompt: 'Do it' }] })
  const { page } = await launch({ home })
  const { preview, created } = await page.evaluate(async (id) => {
    const request = { prompt: 'Use full jitter', fork: true, worktree: true }
    const previewed = await window.treeline.navigator.fork_preview({
      session_id: id,
      worktree: true,
      prompt: request.prompt,
    })
    return { preview: previewed, created: await window.treeline.session_create(request, { as: id, call: 'one' }) }
  }, main.id)
  if (!preview.ok || !created.ok) throw new Error(JSON.stringify({ preview, created }))
  expect(created.value.worktree).toBe(preview.value.worktree?.path)
  const branches = await git(cwd, 'branch', '--format=%(refname:short)')
  expect(branches.split('\n')).toContain(preview.value.worktree?.branch)
})

test('a creation that runs when the window is closed leaves nothing half done', async ({ launch, home }) => {
  const cwd = join(home, 'src', 'app')
  await makeRepository(cwd)
  const started = join(home, 'hook-started')
  const hook = join(cwd, '.git', 'hooks', 'post-checkout')
  await writeFile(hook, `#!/bin/sh\n: > "${started}"\nexec sleep 30\n`)
  await chmod(hook, 0o755)
  const main = await writeMain(home, { cwd, turns: [{ prompt: 'Do it' }] })
  const launched = await launch({ home })
  const { page } = launched
  const create = (call: string): void => {
    const asked = { id: main.id, name: call }
    void page
      .evaluate(async ({ id, name }) => {
        const request = { prompt: 'Try it', fork: true, worktree: true }
        const answer = await window.treeline.session_create(request, { as: id, call: name })
        Object.assign(window, { [name]: answer.ok ? 'made' : answer.error.code })
        // The window may be closed before there is an answer.
      }, asked)
      .catch(() => undefined)
  }
  create('one')
  await expect.poll(() => stat(started).catch(() => null)).not.toBeNull()
  create('two')
  await expect.poll(() => page.evaluate(() => Reflect.get(window, 'two'))).toBe('already_running')
  await launched.close()
  expect((await readdir(main.directory)).filter((name) => name !== 'forks')).toEqual(['session.jsonl'])
  expect(await readdir(join(main.directory, 'forks')).catch(() => [])).toEqual([])
  expect(await git(cwd, 'branch', '--format=%(refname:short)')).toBe('main')
  expect((await git(cwd, 'worktree', 'list', '--porcelain')).match(/^worktree /gm)).toHaveLength(1)
})
