import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from './app.ts'
import { git, makeRepository, writeMain } from './fixtures.ts'
import { test } from './home.ts'
import { holdHook, writeHook } from './hooks.ts'
import { catchMenus, clickItem, menuItems } from './menus.ts'
import { forkLogs, onlyFork, readLog, stateOf } from './on-disk.ts'
import { forkDialog, headerTitle, row, rowNames, startFork } from './screen.ts'

// A fork in a worktree of its own. What the window says of it, git says as well.

test('git has the branch and the folder that the dialog showed, and the row has the badge', async ({
  launch,
  home,
}) => {
  const repository = join(home, 'Obst garten')
  const commit = await makeRepository(repository)
  const inside = join(repository, 'packages', 'pears')
  await mkdir(inside, { recursive: true })
  const main = await writeMain(home, { cwd: inside, title: 'Harvest', turns: [{ prompt: 'Pick' }] })
  const { app, page } = await launch({ home })
  await catchMenus(app)
  await row(page, 'Harvest').click({ button: 'right' })
  await expect.poll(() => menuItems(app)).not.toEqual([])
  await clickItem(app, 'fork-into-worktree')
  const fork = forkDialog(page)
  await expect(fork.dialog).toHaveAccessibleName('Fork into a new worktree')
  await expect(fork.newWorktree).toBeChecked()
  await fork.prompt.fill('Prune – the old trees')
  const shownBranch = fork.dialog.getByText(/^treeline\/prune/)
  await expect(shownBranch).toBeVisible()
  const branch = await shownBranch.innerText()
  const path = await fork.dialog.locator('.fork-path').getAttribute('title')
  await expect(fork.dialog).toContainText(commit.slice(0, 7))
  await fork.fork.click()
  await expect(fork.dialog).toHaveCount(0)

  await expect(headerTitle(page)).toHaveText('Prune – the old trees')
  await expect(row(page, 'Prune – the old trees').locator('.badge')).toHaveText('worktree')
  await expect(page.getByRole('button', { name: `Worktree, branch ${branch}` })).toBeVisible()
  const listed = (await git(repository, 'worktree', 'list', '--porcelain')).split('\n\n')
  expect(listed).toHaveLength(2)
  expect(listed[1]?.split('\n')).toEqual([`worktree ${path}`, `HEAD ${commit}`, `branch refs/heads/${branch}`])
  expect(await git(path ?? '', 'status', '--porcelain')).toBe('')
  const { header } = await readLog(await onlyFork(main))
  expect(header).toMatchObject({ cwd: path, worktree: { path, branch, base: commit, repository } })
  // The log itself lies in the tree, not in the worktree (spec §3.3).
  expect((await readdir(path ?? '')).toSorted()).toEqual(['.git', 'README.md'])
})

test('it starts at what is checked out, and uncommitted work stays behind, which is said', async ({ launch, home }) => {
  const repository = join(home, 'orchard')
  await makeRepository(repository)
  await git(repository, 'checkout', '--quiet', '-b', 'harvest')
  await writeFile(join(repository, 'work.txt'), 'on the branch\n')
  await git(repository, 'add', 'work.txt')
  await git(repository, '-c', 'user.name=T', '-c', 'user.email=t@example.com', 'commit', '--quiet', '-m', 'Work')
  await writeFile(join(repository, 'work.txt'), 'not committed\n')
  await writeFile(join(repository, 'new.txt'), 'untracked\n')
  const main = await writeMain(home, { cwd: repository, title: 'Harvest', turns: [{ prompt: 'Pick' }] })
  const { page } = await launch({ home })
  const fork = await startFork(page, 'Pick at night', 'new worktree')
  await expect(fork.dialog).toContainText('2 uncommitted files stay in the main folder. They do not come along.')
  await fork.fork.click()
  await expect(fork.dialog).toHaveCount(0)
  const { header } = await readLog(await onlyFork(main))
  const made = String(header['cwd'])
  expect(await readFile(join(made, 'work.txt'), 'utf8')).toBe('on the branch\n')
  expect(await readdir(made)).not.toContain('new.txt')
  expect(await readFile(join(repository, 'work.txt'), 'utf8')).toBe('not committed\n')
})

test('Enter twice, and once more while it works, makes one child', async ({ launch, home }) => {
  const repository = join(home, 'orchard')
  await makeRepository(repository)
  const hook = await holdHook(repository)
  const main = await writeMain(home, { cwd: repository, title: 'Harvest', turns: [{ prompt: 'Pick' }] })
  const { page } = await launch({ home })
  const fork = await startFork(page, 'Once is enough', 'new worktree')
  await Promise.all([page.keyboard.press('Control+Enter'), page.keyboard.press('Control+Enter')])
  await expect.poll(hook.started).toBe(true)
  await expect(fork.fork).toBeDisabled()
  await expect(fork.progress).not.toBeEmpty()
  await fork.prompt.press('Control+Enter')
  await hook.letGo()
  await expect(fork.dialog).toHaveCount(0)
  await expect(row(page, 'Once is enough')).toBeVisible()
  expect(await forkLogs(main)).toHaveLength(1)
  expect((await git(repository, 'worktree', 'list', '--porcelain')).match(/^worktree /gm)).toHaveLength(2)
  expect((await rowNames(page)).toSorted()).toEqual(['Harvest', 'Once is enough'])
})

test('cancelling while a hook runs leaves nothing, keeps the prompt, and a second try works', async ({
  launch,
  home,
}) => {
  const repository = join(home, 'orchard')
  await makeRepository(repository)
  const hook = await holdHook(repository)
  const main = await writeMain(home, { cwd: repository, title: 'Harvest', turns: [{ prompt: 'Pick' }] })
  const { page } = await launch({ home })
  const before = await stateOf(main.directory)
  const fork = await startFork(page, 'Not after all', 'new worktree')
  await fork.fork.click()
  await expect.poll(hook.started).toBe(true)
  await expect(fork.progress).toContainText(/hook/i)
  await fork.cancel.click()
  await expect(fork.fork).toBeEnabled()
  await expect(fork.prompt).toHaveValue('Not after all')
  await expect(fork.failure).toHaveCount(0)
  expect(await forkLogs(main)).toEqual([])
  expect(Object.keys(await stateOf(main.directory)).filter((name) => name.includes('session.jsonl'))).toEqual(
    Object.keys(before).filter((name) => name.includes('session.jsonl')),
  )
  expect(await git(repository, 'branch', '--format=%(refname:short)')).toBe('main')
  expect((await git(repository, 'worktree', 'list', '--porcelain')).match(/^worktree /gm)).toHaveLength(1)
  expect(await readdir(join(home, 'worktrees'), { recursive: true }).catch(() => [])).toEqual([])
  expect(await readdir(join(home, 'treeline', 'pending')).catch(() => [])).toEqual([])
  await hook.letGo()
  await fork.fork.click()
  await expect(headerTitle(page)).toHaveText('Not after all')
})

test('a hook that fails although the worktree stands is a warning, and the fork is there', async ({ launch, home }) => {
  const repository = join(home, 'orchard')
  await makeRepository(repository)
  await writeHook(repository, 'echo "cannot reach the registry" >&2\nexit 141')
  await writeMain(home, { cwd: repository, title: 'Harvest', turns: [{ prompt: 'Pick' }] })
  const { page } = await launch({ home })
  const fork = await startFork(page, 'In spite of the hook', 'new worktree')
  await fork.fork.click()
  await expect(headerTitle(page)).toHaveText('In spite of the hook')
  await expect(page.getByRole('alert')).toContainText('hook')
  await expect(page.getByRole('alert')).toContainText('cannot reach the registry')
})

test('an app started with another PATH, as from a desktop icon, still finds git', async ({ launch, home }) => {
  test.skip(!existsSync('/usr/bin/git') && !existsSync('/usr/local/bin/git'), 'git is in no usual folder here')
  const repository = join(home, 'orchard')
  await makeRepository(repository)
  const main = await writeMain(home, { cwd: repository, title: 'Harvest', turns: [{ prompt: 'Pick' }] })
  const { page } = await launch({ home, env: { PATH: join(home, 'nothing here') } })
  const fork = await startFork(page, 'From the icon', 'new worktree')
  await fork.fork.click()
  await expect(headerTitle(page)).toHaveText('From the icon')
  expect((await readLog(await onlyFork(main))).header).toHaveProperty('worktree.repository', repository)
})
