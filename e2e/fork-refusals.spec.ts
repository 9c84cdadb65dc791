import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { expect } from './app.ts'
import { git, makeRepository, writeFork, writeMain, type SessionFixture } from './fixtures.ts'
import { test } from './home.ts'
import { holdHook } from './hooks.ts'
import { catchMenus, menuItems } from './menus.ts'
import { removeLine, replaceLine } from './odd-sessions.ts'
import { stateOf } from './on-disk.ts'
import { forkDialog, headerTitle, row, startFork } from './screen.ts'

// What cannot be forked is said in words where it was asked for; the prompt is kept and the disk is as before.

test('a folder that is not in a git repository', async ({ launch, home }) => {
  const main = await writeMain(home, { cwd: home, title: 'Main', turns: [{ prompt: 'Go' }] })
  const { app, page } = await launch({ home })
  await refuses(
    page,
    main,
    'new worktree',
    `${home} is not in a git repository. A fork in the same folder still works.`,
  )
  await catchMenus(app)
  await row(page, 'Main').click({ button: 'right' })
  await expect
    .poll(() => menuItems(app))
    .toContainEqual(['fork-into-worktree', 'Fork into New Worktree… (not a Git repository)', false])
  // What the sentence promises.
  await page.keyboard.press('Control+Shift+F')
  const fork = forkDialog(page)
  await fork.sameFolder.check({ force: true })
  await fork.fork.click()
  await expect(headerTitle(page)).toHaveText('Keep these words')
})

test('a repository without a commit', async ({ launch, home }) => {
  const cwd = join(home, 'fresh')
  await mkdir(cwd)
  await git(cwd, 'init', '--quiet', '--initial-branch=main')
  const main = await writeMain(home, { cwd, title: 'Main', turns: [{ prompt: 'Go' }] })
  const { app, page } = await launch({ home })
  await refuses(page, main, 'new worktree', 'There is no commit yet on')
  await catchMenus(app)
  await row(page, 'Main').click({ button: 'right' })
  await expect
    .poll(() => menuItems(app))
    .toContainEqual(['fork-into-worktree', 'Fork into New Worktree… (no commit yet)', false])
})

test('a working folder that is gone: never another one in its place', async ({ launch, home }) => {
  const cwd = join(home, 'moved away')
  await mkdir(cwd)
  const main = await writeMain(home, { cwd, title: 'Main', turns: [{ prompt: 'Go' }] })
  const { app, page } = await launch({ home })
  await rm(cwd, { recursive: true })
  await refuses(page, main, 'same folder', /folder .*moved away,? (is not there any more|does not exist)/)
  await refuses(page, main, 'new worktree', /folder .*moved away,? (is not there any more|does not exist)/)
  await catchMenus(app)
  await expect
    .poll(async () => {
      await row(page, 'Main').click({ button: 'right' })
      return menuItems(app)
    })
    .toContainEqual(['fork', 'Fork Session… (the folder is missing)', false])
  expect(await readdir(home)).not.toContain('moved away')
})

test('a log with a gap before the boundary', async ({ launch, home }) => {
  const main = await writeMain(home, { cwd: home, title: 'Main', turns: [{ prompt: 'One' }, { prompt: 'Two' }] })
  await removeLine(main, 6)
  const { page } = await launch({ home })
  await refuses(page, main, 'same folder', /cannot be forked: line 6 .* Open the log in an editor/)
})

test('a log that is damaged before the boundary', async ({ launch, home }) => {
  const main = await writeMain(home, { cwd: home, title: 'Main', turns: [{ prompt: 'One' }, { prompt: 'Two' }] })
  await replaceLine(main, 4, '{"type":"turn/st')
  const { page } = await launch({ home })
  await refuses(page, main, 'same folder', /cannot be forked: line 4 .* Open the log in an editor/)
})

test('a parent that is being forked already', async ({ launch, home }) => {
  const repository = join(home, 'orchard')
  await makeRepository(repository)
  const hook = await holdHook(repository)
  const main = await writeMain(home, { cwd: repository, title: 'Main', turns: [{ prompt: 'Go' }] })
  const { app, page } = await launch({ home })
  // Another fork of this session, under way: a second dialog cannot be opened over the first.
  await page.evaluate((id) => {
    const request = { prompt: 'The first', fork: true, worktree: true }
    void window.treeline.session_create(request, { as: id, call: 'first' })
  }, main.id)
  await expect.poll(hook.started).toBe(true)
  const fork = await startFork(page, 'Keep these words')
  await fork.fork.click()
  await expect(fork.failure).toHaveText(
    'A child of this session is being created already. Wait until it is there, or cancel it.',
  )
  await expect(fork.prompt).toHaveValue('Keep these words')
  await fork.cancel.click()
  await catchMenus(app)
  await row(page, 'Main').click({ button: 'right' })
  await expect.poll(() => menuItems(app)).toContainEqual(['fork', 'Fork Session… (a fork is being made)', false])
  await hook.letGo()
  await expect(row(page, 'The first')).toBeVisible()
})

test('a fork and a subagent: both fork items are off and say why, and so is the button', async ({ launch, home }) => {
  const repository = join(home, 'orchard')
  await makeRepository(repository)
  const main = await writeMain(home, { cwd: repository, title: 'Main', turns: [{ prompt: 'Go' }] })
  await writeFork(main, { title: 'Fork', turns: [{ prompt: 'Otherwise' }] })
  const { app, page } = await launch({ home })
  await catchMenus(app)
  await row(page, 'Fork').click()
  await row(page, 'Fork').click({ button: 'right' })
  await expect.poll(() => menuItems(app)).toContainEqual(['fork', 'Fork Session… (a fork cannot be forked)', false])
  expect(await menuItems(app)).toContainEqual([
    'fork-into-worktree',
    'Fork into New Worktree… (a fork cannot be forked)',
    false,
  ])
  await expect(headerTitle(page)).toHaveText('Fork')
  const button = page.getByRole('button', { name: /^Fork, not possible: A fork cannot be forked/ })
  await expect(button).toHaveAttribute('aria-disabled', 'true')
  await page.keyboard.press('Control+Shift+F')
  await expect(page.getByRole('alert')).toHaveText('A fork cannot be forked. Fork its main session instead.')
  await expect(forkDialog(page).dialog).toHaveCount(0)
})

/** Asks for a fork of the open session, which is refused with `words`, and sees that nothing came of it but those. */
async function refuses(
  page: Page,
  main: SessionFixture,
  place: 'same folder' | 'new worktree',
  words: string | RegExp,
): Promise<void> {
  const home = join(main.directory, '..', '..')
  const before = await stateOf(main.directory)
  const fork = await startFork(page, 'Keep these words', place)
  // Said before the button is pressed, and again as the answer to it.
  await expect(fork.dialog.locator('.fork-facts')).toContainText(words)
  await fork.fork.click()
  await expect(fork.failure).toContainText(words)
  await expect(fork.dialog.getByText(words)).toHaveCount(1)
  await expect(fork.prompt).toHaveValue('Keep these words')
  await fork.cancel.click()
  await expect(fork.dialog).toHaveCount(0)
  expect(await stateOf(main.directory)).toEqual(before)
  expect(await readdir(join(home, 'worktrees'), { recursive: true }).catch(() => [])).toEqual([])
  expect(await readdir(join(home, 'treeline', 'pending')).catch(() => [])).toEqual([])
  await page.getByRole('button', { name: 'Fork', exact: true }).click()
  await expect(fork.prompt).toHaveValue('Keep these words')
  await fork.cancel.click()
}
