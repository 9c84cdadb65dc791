import { cp, mkdir, rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from './app.ts'
import { git, makeRepository, writeFork, writeMain, writeSubagent } from './fixtures.ts'
import { test } from './home.ts'
import { stripKind, writeSeededSubagent } from './odd-sessions.ts'
import { sharedFixtures } from './on-disk.ts'
import { caret, headerTitle, row, rowNames, sessionTree, subagentsControl, subagentTree, transcript } from './screen.ts'

// The sidebar is for what a person can choose: mains and forks, by repository, and never a helper.

test('mains and their forks stand by repository, and no subagent has a row', async ({ launch, home }) => {
  const repository = join(home, 'orchard')
  await makeRepository(repository)
  const inside = join(repository, 'packages', 'pears')
  await mkdir(inside, { recursive: true })
  const main = await writeMain(home, { cwd: repository, title: 'Harvest', turns: [{ prompt: 'Pick' }] })
  const fork = await writeFork(main, { title: 'Harvest by night', turns: [{ prompt: 'In the dark' }] })
  await writeMain(home, { cwd: inside, title: 'Pears only', turns: [{ prompt: 'Pears' }] })
  await writeMain(home, { cwd: home, title: 'Elsewhere', turns: [{ prompt: 'No repository' }] })
  const helper = await writeSubagent(main, { turns: [{ prompt: 'A helper' }] })
  await writeSubagent(helper, { turns: [{ prompt: 'A helper of the helper' }] })
  await writeSubagent(fork, { turns: [{ prompt: "The fork's helper" }] })

  const { page } = await launch({ home })
  expect((await rowNames(page)).toSorted()).toEqual(['Elsewhere', 'Harvest', 'Harvest by night', 'Pears only'])
  await expect(row(page, 'Harvest')).toHaveAttribute('aria-level', '1')
  await expect(row(page, 'Harvest by night')).toHaveAttribute('aria-level', '2')
  // Group and count, in the order of their latest session.
  const groups = await sessionTree(page).locator('.group-row').allInnerTexts()
  expect(groups.map((text) => text.replace(/\s+/g, ' ')).toSorted()).toEqual(
    [`${home.split('/').at(-1)} 1`, 'orchard 3'].toSorted(),
  )
  await expect(page.getByText('4 sessions', { exact: true })).toBeVisible()
  await expect(sessionTree(page)).not.toContainText('helper')
})

test('the caret and the title are two controls', async ({ launch, home }) => {
  const main = await writeMain(home, { cwd: home, title: 'Main', turns: [{ prompt: 'Go' }] })
  await writeFork(main, { title: 'Fork', turns: [{ prompt: 'Otherwise' }] })
  await writeMain(home, { cwd: home, title: 'Other', turns: [{ prompt: 'Go' }], at: Date.now() })
  const { page } = await launch({ home })
  await row(page, 'Other').click()
  await expect(headerTitle(page)).toHaveText('Other')
  await caret(page, 'Main').click()
  await expect(row(page, 'Main')).toHaveAttribute('aria-expanded', 'false')
  await expect(row(page, 'Fork')).toHaveCount(0)
  await expect(row(page, 'Main')).toContainText('+1')
  await expect(headerTitle(page)).toHaveText('Other')
  await row(page, 'Main').getByText('Main', { exact: true }).click()
  await expect(headerTitle(page)).toHaveText('Main')
  await expect(row(page, 'Main')).toHaveAttribute('aria-expanded', 'false')
  await expect(row(page, 'Main')).toHaveAttribute('aria-current', 'true')
  await caret(page, 'Main').click()
  await expect(row(page, 'Fork')).toBeVisible()
  await expect(caret(page, 'Other')).toHaveCount(0)
})

test("a fork's worktree has a badge that says where it is; when it is gone, a warning", async ({ launch, home }) => {
  const repository = join(home, 'orchard')
  const base = await makeRepository(repository)
  const path = join(home, 'worktrees', 'orchard', 'night-0001')
  await git(repository, 'worktree', 'add', '--quiet', '-b', 'treeline/night-0001', path)
  const main = await writeMain(home, { cwd: repository, title: 'Harvest', turns: [{ prompt: 'Pick' }] })
  const worktree = { path, branch: 'treeline/night-0001', base, repository }
  await writeFork(main, { title: 'By night', turns: [{ prompt: 'In the dark' }], worktree })
  await writeFork(main, { title: 'Same folder', turns: [{ prompt: 'Here' }] })

  const { app, page } = await launch({ home })
  const badge = row(page, 'By night').locator('.badge')
  await expect(badge).toHaveText('worktree')
  await expect(row(page, 'Same folder').locator('.badge')).toHaveCount(0)
  await badge.click()
  await page.getByRole('button', { name: 'Copy folder' }).click()
  await expect.poll(() => app.evaluate(({ clipboard }) => clipboard.readText())).toBe(path)
  await page.keyboard.press('Escape')

  await rm(path, { recursive: true })
  await row(page, 'By night').click()
  await expect(badge).toHaveText('worktree gone')
  await expect(badge).toHaveAttribute('title', new RegExp(`${path} is missing`))
  await expect(transcript(page)).toContainText('In the dark')
})

test('helpers with few marks, a copied history or none of their own are no rows either', async ({ launch, home }) => {
  const main = await writeMain(home, { cwd: home, turns: [{ prompt: 'Plan the orchard' }] })
  await writeSubagent(main, { turns: [{ prompt: 'Helper with every mark' }] })
  const few = await writeSubagent(main, { turns: [{ prompt: 'Helper without an origin' }] })
  await stripKind(few, ['origin'])
  const odd = await writeSubagent(main, { turns: [{ prompt: 'Helper without a kind' }] })
  await stripKind(odd, ['origin', 'kind', 'parentSession', 'parent_session_id', 'root_session_id'])
  await writeSeededSubagent(main, 'Helper that began with a copy')
  const fork = await writeFork(main, { turns: [{ prompt: 'Plan it otherwise' }] })
  await writeSubagent(fork, { turns: [{ prompt: "The fork's helper" }] })

  const { page } = await launch({ home })
  expect((await rowNames(page)).toSorted()).toEqual(['Plan it otherwise', 'Plan the orchard'])
  await row(page, 'Plan the orchard').click()
  await subagentsControl(page).click()
  const items = subagentTree(page).getByRole('treeitem')
  await expect(subagentsControl(page)).toHaveAccessibleName(`${await items.count()} subagents`)
  for (const name of ['Helper with every mark', 'Helper without an origin', 'Helper that began with a copy'])
    await expect(subagentTree(page).getByRole('treeitem', { name })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: '1 unreadable' }).click()
  const list = page.getByRole('dialog', { name: 'Sessions that cannot be read' })
  await expect(list.getByRole('listitem')).toContainText(odd.logPath.slice(-60))
})

test('the tree of field fault F22 shows one main and one fork', async ({ launch, home }) => {
  const tree = join(sharedFixtures, 'faults', 'f22-tree')
  test.skip(!existsSync(tree), 'the fixtures lie beside the project, not in it')
  await cp(tree, join(home, 'session-tree'), { recursive: true })
  const { page } = await launch({ home })
  await expect(page.getByText('2 sessions', { exact: true })).toBeVisible()
  const names = await rowNames(page)
  expect(names).toHaveLength(2)
  expect(names[0]).not.toBe(names[1])
  await sessionTree(page).getByRole('treeitem').first().click()
  await subagentsControl(page).click()
  const items = subagentTree(page).getByRole('treeitem')
  await expect(items.first()).toBeVisible()
  await expect(subagentsControl(page)).toHaveAccessibleName(`${await items.count()} subagents`)
  for (const name of await items.locator('bdi').allInnerTexts()) expect(name).not.toMatch(/session|0f6/i)
})
