import { expect } from './app.ts'
import { writeFork, writeMain, writeSubagent, type SessionFixture } from './fixtures.ts'
import { test } from './home.ts'
import { headerTitle, row, subagentsControl, subagentTree, transcript } from './screen.ts'

// Helpers belong to the open session's header: counted at all levels, stopping at forks, each one openable.

async function writeFamily(home: string): Promise<{ main: SessionFixture; fork: SessionFixture }> {
  const main = await writeMain(home, { cwd: home, title: 'Main', turns: [{ prompt: 'Go' }] })
  const helper = await writeSubagent(main, { title: 'Finder', turns: [{ prompt: 'Find' }] })
  const nested = await writeSubagent(helper, { title: 'Reader', turns: [{ prompt: 'Read' }] })
  await writeSubagent(nested, { title: 'Counter', turns: [{ prompt: 'Count the words', end: 'error' }] })
  const fork = await writeFork(main, { title: 'Fork', turns: [{ prompt: 'Otherwise' }] })
  await writeSubagent(fork, { title: 'Of the fork', turns: [{ prompt: 'Help the fork' }] })
  return { main, fork }
}

test('the header counts all levels, names how they stand, and opens one; the breadcrumb leads back', async ({
  launch,
  home,
}) => {
  await writeFamily(home)
  const { page } = await launch({ home })
  await row(page, 'Main').click()
  await expect(subagentsControl(page)).toHaveText('3 subagents')
  await expect(subagentsControl(page)).toHaveAccessibleDescription('worst state: failed')
  await subagentsControl(page).click()
  const items = subagentTree(page).getByRole('treeitem')
  await expect(items).toHaveCount(3)
  for (const [name, level] of [
    ['Finder', '1'],
    ['Reader', '2'],
    ['Counter', '3'],
  ] as const)
    await expect(subagentTree(page).getByRole('treeitem', { name, exact: true })).toHaveAttribute('aria-level', level)
  await subagentTree(page).getByRole('treeitem', { name: 'Counter' }).click()

  await expect(headerTitle(page)).toHaveText('Counter')
  await expect(transcript(page)).toContainText('Count the words')
  await expect(transcript(page)).toContainText('Task')
  await expect(subagentTree(page)).toHaveCount(0)
  await expect(row(page, 'Main')).toHaveAttribute('aria-current', 'true')
  const path = page.getByRole('navigation', { name: 'Where this session stands' })
  await expect(path.getByRole('button')).toHaveText(['Main', 'Finder', 'Reader'])
  await path.getByRole('button', { name: 'Finder' }).click()
  await expect(headerTitle(page)).toHaveText('Finder')
  await expect(subagentsControl(page)).toHaveText('2 subagents')
  await path.getByRole('button', { name: 'Main' }).click()
  await expect(headerTitle(page)).toHaveText('Main')
  await expect(path).toHaveCount(0)
})

test('another session swaps the list; one without helpers has no control', async ({ launch, home }) => {
  await writeFamily(home)
  await writeMain(home, { cwd: home, title: 'Alone', turns: [{ prompt: 'Nobody helps' }] })
  const { page } = await launch({ home })
  await row(page, 'Main').click()
  await expect(subagentsControl(page)).toHaveText('3 subagents')
  await row(page, 'Fork').click()
  await expect(subagentsControl(page)).toHaveText('1 subagent')
  await subagentsControl(page).click()
  await expect(subagentTree(page).getByRole('treeitem')).toHaveCount(1)
  await expect(subagentTree(page).getByRole('treeitem', { name: 'Of the fork' })).toBeVisible()
  await page.keyboard.press('Escape')
  await row(page, 'Alone').click()
  await expect(headerTitle(page)).toHaveText('Alone')
  await expect(transcript(page)).toContainText('Nobody helps')
  await expect(subagentsControl(page)).toHaveCount(0)
})

test('keys alone open the list, close a branch and open a helper', async ({ launch, home }) => {
  await writeFamily(home)
  const { page } = await launch({ home })
  await row(page, 'Main').click()
  await subagentsControl(page).focus()
  await page.keyboard.press('ArrowDown')
  const item = (name: string) => subagentTree(page).getByRole('treeitem', { name, exact: true })
  await expect(item('Finder')).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await expect(item('Reader')).toBeFocused()
  await page.keyboard.press('ArrowLeft')
  await expect(item('Counter')).toHaveCount(0)
  await expect(item('Reader')).toHaveAttribute('aria-expanded', 'false')
  await page.keyboard.press('Escape')
  await expect(subagentTree(page)).toHaveCount(0)
  await expect(subagentsControl(page)).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(item('Finder')).toBeFocused()
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await expect(headerTitle(page)).toHaveText('Counter')
})
