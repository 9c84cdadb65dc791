import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { expect } from './app.ts'
import { test } from './home.ts'
import { row, subagentsControl, subagentTree, transcript } from './screen.ts'

// Sessions that run, in the real app: the shell stands for any agent, as it needs no model.

/** Makes a main for the shell in the dialog, as a person does. */
async function newShellSession(page: Page, folder: string, title: string, command: string): Promise<void> {
  await page.getByRole('button', { name: 'New session' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'What should be done?' }).fill(command)
  await dialog.getByRole('textbox', { name: 'Title' }).fill(title)
  await dialog.getByRole('textbox', { name: 'Folder' }).fill(folder)
  await dialog.getByRole('combobox', { name: 'Agent' }).selectOption('shell')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(row(page, title)).toHaveAttribute('aria-current', 'true')
}

test('a shell main makes a subagent that makes a subagent, and each is seen to end', async ({ launch, home }) => {
  const { page } = await launch({ home })
  const inner = 'treeline session create --prompt "echo from the bottom"'
  await newShellSession(page, home, 'Top', `treeline session create --prompt '${inner}'`)
  await expect(subagentsControl(page)).toHaveText('2 subagents', { timeout: 30_000 })
  await expect(row(page, 'Top')).toHaveAccessibleDescription(/^Idle/, { timeout: 30_000 })
  await subagentsControl(page).click()
  const bottom = subagentTree(page).getByRole('treeitem', { name: 'echo from the bottom', exact: true })
  await expect(bottom).toHaveAttribute('aria-level', '2')
  await expect(bottom).toContainText('done')
  await bottom.click()
  await expect(transcript(page)).toContainText('from the bottom')
})

test('a running turn is stopped, and a message that waited is taken back before', async ({ launch, home }) => {
  const { page } = await launch({ home })
  await newShellSession(page, home, 'Long', 'echo begun; sleep 60; echo never')
  await expect(transcript(page)).toContainText('begun')
  await expect(row(page, 'Long')).toHaveAccessibleDescription(/^Running/)
  const message = page.getByRole('textbox', { name: 'Message this session' })
  await message.fill('touch taken')
  await message.press('Enter')
  await page.getByRole('button', { name: '1 message waiting' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
  await expect(page.getByRole('button', { name: /waiting$/ })).toHaveCount(0)
  await page.getByRole('button', { name: 'Stop' }).click()
  await expect(transcript(page)).toContainText('You stopped this turn.')
  await expect(row(page, 'Long')).toHaveAccessibleDescription(/^Idle/)
  await expect(transcript(page)).not.toContainText('touch taken')
  await expect(readFile(join(home, 'taken'))).rejects.toThrow(/ENOENT/)
})

test('a turn that a killed app left is shown as interrupted, runs again only when asked to', async ({
  launch,
  home,
}) => {
  const first = await launch({ home })
  await newShellSession(first.page, home, 'Killed', 'echo once >> runs; sleep 5; echo over')
  await expect(row(first.page, 'Killed')).toHaveAccessibleDescription(/^Running/)
  await expect.poll(() => readFile(join(home, 'runs'), 'utf8').catch(() => '')).toBe('once\n')
  const child = first.app.process()
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone
  const { page } = await launch({ home })
  await expect(transcript(page)).toContainText('This turn was interrupted', { timeout: 20_000 })
  expect(await readFile(join(home, 'runs'), 'utf8')).toBe('once\n')
  await page.getByRole('button', { name: 'Send again' }).click()
  await expect.poll(() => readFile(join(home, 'runs'), 'utf8'), { timeout: 20_000 }).toBe('once\nonce\n')
  await expect(page.getByRole('button', { name: 'Send again' })).toHaveCount(0)
})
