import { rm } from 'node:fs/promises'
import { expect } from './app.ts'
import { writeFork, writeMain, writeSubagent } from './fixtures.ts'
import { test } from './home.ts'
import { stateOf } from './on-disk.ts'
import { caret, headerTitle, row, rowNames, startFork, subagentsControl, subagentTree, transcript } from './screen.ts'

// What was there when the window closed is there when it opens: the tree from disk, the view from what it remembers.

test('the same tree, the same open session, the same closed main', async ({ launch, home }) => {
  const main = await writeMain(home, { cwd: home, title: 'Main', turns: [{ prompt: 'Go' }] })
  await writeFork(main, { title: 'Its fork', turns: [{ prompt: 'Otherwise' }] })
  const other = await writeMain(home, { cwd: home, title: 'Other', turns: [{ prompt: 'Go' }] })
  await writeFork(other, { title: 'Other fork', turns: [{ prompt: 'The open one' }] })
  const first = await launch({ home })
  await caret(first.page, 'Main').click()
  await row(first.page, 'Other').click()
  await expect(headerTitle(first.page)).toHaveText('Other')
  const fork = await startFork(first.page, 'Made just before the end')
  await fork.fork.click()
  await expect(headerTitle(first.page)).toHaveText('Made just before the end')
  await row(first.page, 'Other fork').click()
  await expect(headerTitle(first.page)).toHaveText('Other fork')
  const names = await rowNames(first.page)
  await first.close()

  const { page } = await launch({ home })
  expect((await rowNames(page)).toSorted()).toEqual(names.toSorted())
  await expect(headerTitle(page)).toHaveText('Other fork')
  await expect(row(page, 'Other fork')).toHaveAttribute('aria-current', 'true')
  await expect(transcript(page)).toContainText('The open one')
  await expect(row(page, 'Main')).toHaveAttribute('aria-expanded', 'false')
  await expect(row(page, 'Other')).toHaveAttribute('aria-expanded', 'true')
})

for (const [name, isGone, opened] of [
  ['an open subagent comes back', false, 'Helper'],
  ['where the open subagent is gone, the session that did something last is open', true, 'Main'],
] as const) {
  test(name, async ({ launch, home }) => {
    const main = await writeMain(home, { cwd: home, title: 'Main', turns: [{ prompt: 'Go' }] })
    const helper = await writeSubagent(main, { title: 'Helper', turns: [{ prompt: 'Help' }] })
    const first = await launch({ home })
    await subagentsControl(first.page).click()
    await subagentTree(first.page).getByRole('treeitem', { name: 'Helper' }).click()
    await expect(headerTitle(first.page)).toHaveText('Helper')
    await first.close()
    if (isGone) await rm(helper.directory, { recursive: true })
    const { page } = await launch({ home })
    await expect(headerTitle(page)).toHaveText(opened)
    await expect(row(page, 'Main')).toHaveAttribute('aria-current', 'true')
  })
}

test('starting, looking and closing change no byte of any session', async ({ launch, home }) => {
  const main = await writeMain(home, { cwd: home, title: 'Main', turns: [{ prompt: 'Go', end: 'in-step' }] })
  await writeSubagent(main, { title: 'Helper', turns: [{ prompt: 'Help' }] })
  const tree = await stateOf(`${home}/session-tree`)
  const first = await launch({ home })
  await row(first.page, 'Main').click()
  await expect(transcript(first.page)).toContainText('Go')
  await subagentsControl(first.page).click()
  await subagentTree(first.page).getByRole('treeitem', { name: 'Helper' }).click()
  await expect(transcript(first.page)).toContainText('Help')
  await first.close()
  expect(await stateOf(`${home}/session-tree`)).toEqual(tree)
})
