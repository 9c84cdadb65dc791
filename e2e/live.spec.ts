import { readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { expect } from './app.ts'
import { appendRaw, appendTurns, writeFork, writeMain, writeSubagent } from './fixtures.ts'
import { test } from './home.ts'
import { headerTitle, row, rowNames, subagentsControl, transcript, WITHIN_A_SECOND } from './screen.ts'

// Other programs write these logs while the window is open. What is on screen is right again within a second.

test('a log that grows updates its row and its open transcript', async ({ launch, home }) => {
  const main = await writeMain(home, { cwd: home, turns: [{ prompt: 'The first prompt' }] })
  const { page } = await launch({ home })
  await expect(transcript(page)).toContainText('The first prompt')
  await appendTurns(main, [{ prompt: 'The second prompt', steps: [{ text: 'Said **afterwards**.' }], end: 'error' }])
  await expect(transcript(page)).toContainText('The second prompt', WITHIN_A_SECOND)
  await expect(transcript(page).locator('strong')).toHaveText('afterwards')
  await expect(row(page, 'The first prompt')).toHaveAccessibleDescription(/^Failed/, WITHIN_A_SECOND)
  await appendTurns(main, [{ prompt: 'The third prompt' }])
  await expect(row(page, 'The first prompt')).toHaveAccessibleDescription(/^Cold/, WITHIN_A_SECOND)
})

test('sessions that come, are renamed or go elsewhere do so here, and the focus stays where it was', async ({
  launch,
  home,
}) => {
  const main = await writeMain(home, { cwd: home, title: 'Main', turns: [{ prompt: 'Go' }] })
  const { page } = await launch({ home })
  await row(page, 'Main').focus()
  const other = await writeMain(home, { cwd: home, title: 'Another', turns: [{ prompt: 'Go' }] })
  await expect(row(page, 'Another')).toBeVisible(WITHIN_A_SECOND)
  await writeFork(main, { title: 'A fork', turns: [{ prompt: 'Otherwise' }] })
  await expect(row(page, 'A fork')).toHaveAttribute('aria-level', '2', WITHIN_A_SECOND)
  await writeSubagent(main, { title: 'A helper', turns: [{ prompt: 'Help' }] })
  await expect(subagentsControl(page)).toHaveText('1 subagent', WITHIN_A_SECOND)
  await rm(other.directory, { recursive: true })
  await expect(row(page, 'Another')).toHaveCount(0, WITHIN_A_SECOND)
  expect(await rowNames(page)).toEqual(['Main', 'A fork'])
  await expect(row(page, 'Main')).toBeFocused()
})

test('a log that is cut, or replaced by another file, is read anew', async ({ launch, home }) => {
  const main = await writeMain(home, { cwd: home, title: 'Main', turns: [{ prompt: 'Stays' }] })
  const { length } = await readFile(main.logPath)
  await appendTurns(main, [{ prompt: 'Is cut off' }])
  const { page } = await launch({ home })
  await expect(transcript(page)).toContainText('Is cut off')
  await truncate(main.logPath, length)
  await expect(transcript(page)).not.toContainText('Is cut off', WITHIN_A_SECOND)
  await expect(transcript(page)).toContainText('Stays')
  const text = (await readFile(main.logPath, 'utf8')).replaceAll('Stays', 'Was put in its place')
  await writeFile(`${main.logPath}.new`, text)
  await rename(`${main.logPath}.new`, main.logPath)
  await expect(transcript(page)).toContainText('Was put in its place', WITHIN_A_SECOND)
})

test('a half-written last line is not finished yet, and is read when it is', async ({ launch, home }) => {
  const main = await writeMain(home, { cwd: home, title: 'Main', turns: [{ prompt: 'Go' }] })
  const { page } = await launch({ home })
  await expect(headerTitle(page)).toHaveText('Main')
  const lines = (await readFile(main.logPath, 'utf8')).trimEnd().split('\n').length
  const event = { type: 'session/title', seq: lines - 1, time: Date.now(), data: { title: 'Whole', messageSeqs: [] } }
  const text = `${JSON.stringify(event)}\n`
  await appendRaw(main, text.slice(0, 40))
  await expect(transcript(page)).toContainText('The last line is not finished yet', WITHIN_A_SECOND)
  await expect(page.getByRole('button', { name: /unreadable/ })).toHaveCount(0)
  await appendRaw(main, text.slice(40))
  await expect(row(page, 'Whole')).toBeVisible(WITHIN_A_SECOND)
  await expect(transcript(page)).not.toContainText('not finished yet')
})
