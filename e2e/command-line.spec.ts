import { expect } from './app.ts'
import { git, makeRepository, writeMain } from './fixtures.ts'
import { test } from './home.ts'
import { treeline } from './on-disk.ts'
import { headerTitle, row, subagentsControl, transcript, WITHIN_A_SECOND } from './screen.ts'
import { join } from 'node:path'

// The command line and the window at the same home: one owner, and each sees what the other made.

test('what the command line makes through the running app appears within a second', async ({ launch, home }) => {
  const repository = join(home, 'orchard')
  await makeRepository(repository)
  const main = await writeMain(home, { cwd: repository, title: 'Main', turns: [{ prompt: 'Go' }] })
  const { page } = await launch({ home })
  await expect(headerTitle(page)).toHaveText('Main')

  const created = await treeline(home, 'session', 'create', '--prompt', 'Made in a shell', '--cwd', home)
  expect(created).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(created.stdout)).toMatchObject({ kind: 'main', accepted: true, cwd: home })
  await expect(row(page, 'Made in a shell')).toBeVisible(WITHIN_A_SECOND)

  const asMain = ['--as', main.id]
  const forked = await treeline(
    home,
    'session',
    'create',
    '--prompt',
    'Forked there',
    '--fork',
    '--worktree',
    ...asMain,
  )
  expect(forked).toMatchObject({ code: 0, stderr: '' })
  await expect(row(page, 'Forked there')).toHaveAttribute('aria-level', '2', WITHIN_A_SECOND)
  await expect(row(page, 'Forked there').locator('.badge')).toHaveText('worktree')
  const { worktree } = JSON.parse(forked.stdout)
  expect(await git(repository, 'worktree', 'list', '--porcelain')).toContain(`worktree ${worktree}\n`)

  expect((await treeline(home, 'session', 'create', '--prompt', 'A helper', ...asMain)).code).toBe(0)
  await expect(subagentsControl(page)).toHaveText('1 subagent', WITHIN_A_SECOND)
  await expect(row(page, 'A helper')).toHaveCount(0)

  const { session_id } = JSON.parse(forked.stdout)
  await row(page, 'Forked there').click()
  await expect(transcript(page)).toContainText('Forked there')
  const sent = await treeline(home, 'session', 'send', '--session', session_id, '--message', 'And more', ...asMain)
  expect(sent.code).toBe(0)
  await expect(transcript(page)).toContainText('And more', WITHIN_A_SECOND)
  // Selection stays with the person.
  await expect(headerTitle(page)).toHaveText('Forked there')
  expect((await treeline(home, 'check')).code).toBe(0)
})

test('what it made while no window was open is there at the start, and the other way round', async ({
  launch,
  home,
}) => {
  const created = await treeline(
    home,
    'session',
    'create',
    '--prompt',
    'Made before',
    '--title',
    'Früher',
    '--cwd',
    home,
  )
  expect(created.code).toBe(0)
  const { session_id } = JSON.parse(created.stdout)
  const first = await launch({ home })
  await expect(row(first.page, 'Früher')).toBeVisible()
  await expect(transcript(first.page)).toContainText('Made before')
  await first.close()
  const { sessions } = JSON.parse((await treeline(home, 'session', 'list')).stdout)
  expect(sessions).toMatchObject([{ session_id, title: 'Früher', status: 'cold' }])
})
