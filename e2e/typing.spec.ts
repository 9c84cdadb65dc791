import type { Page } from '@playwright/test'
import { expect } from './app.ts'
import { writeMain } from './fixtures.ts'
import { test } from './home.ts'
import { forkLogs, onlyFork, queuedPrompts, readLog } from './on-disk.ts'
import { composer, forkDialog, headerTitle, row, startFork, transcript } from './screen.ts'

// What a person types arrives whole, where it was meant to, and only when it was sent.

test('a prompt of three lines reaches the fork’s log whole, and so does a very long one', async ({ launch, home }) => {
  const main = await writeMain(home, { cwd: home, title: 'Main', turns: [{ prompt: 'Go' }] })
  const { page } = await launch({ home })
  const fork = await startFork(page, '')
  await fork.prompt.focus()
  await page.keyboard.type('Zeile eins')
  await page.keyboard.press('Enter')
  await page.keyboard.type('  second, with blanks before')
  await page.keyboard.press('Enter')
  await page.keyboard.insertText('三行目 🌳')
  await page.keyboard.press('Control+Enter')
  await expect(headerTitle(page)).toHaveText('Zeile eins   second, with blanks before 三行目 🌳')
  const child = await readLog(await onlyFork(main))
  const seed = Number(child.header['seedLength'])
  expect(queuedPrompts(child, seed)).toEqual(['Zeile eins\n  second, with blanks before\n三行目 🌳'])

  const long = 'Lorem ipsum '.repeat(8_400).trim()
  await composer(page).focus()
  await page.keyboard.insertText(long)
  await page.keyboard.press('Enter')
  await expect(composer(page)).toHaveValue('')
  const sent = queuedPrompts(await readLog(await onlyFork(main)), seed)
  expect(sent[1]?.length).toBe(long.length)
  expect(sent[1]).toBe(long)
})

test('a message goes to the session it was typed for, though another is chosen at once', async ({ launch, home }) => {
  const one = await writeMain(home, { cwd: home, title: 'One', turns: [{ prompt: 'Go' }] })
  const two = await writeMain(home, { cwd: home, title: 'Two', turns: [{ prompt: 'Go' }] })
  const { page } = await launch({ home })
  await row(page, 'One').click()
  await expect(headerTitle(page)).toHaveText('One')
  await composer(page).fill('For one\nin two lines')
  await composer(page).press('Enter')
  await row(page, 'Two').click()
  await expect(headerTitle(page)).toHaveText('Two')
  await expect(composer(page)).toHaveValue('')
  await composer(page).fill('Not sent yet')
  await row(page, 'One').click()
  await expect(headerTitle(page)).toHaveText('One')
  await expect(transcript(page)).toContainText('For one')
  await expect(composer(page)).toHaveValue('')
  await row(page, 'Two').click()
  await expect(composer(page)).toHaveValue('Not sent yet')
  expect(queuedPrompts(await readLog(one.logPath)).at(-1)).toBe('For one\nin two lines')
  expect(queuedPrompts(await readLog(two.logPath))).not.toContain('For one\nin two lines')
})

test('Enter and Escape of a composition do nothing else, anywhere', async ({ launch, home }) => {
  const main = await writeMain(home, { cwd: home, title: 'Main', turns: [{ prompt: 'Go' }] })
  const { page } = await launch({ home })
  await expect(headerTitle(page)).toHaveText('Main')
  const before = await readLog(main.logPath)
  await composer(page).fill('にほんご')
  await composer(page).focus()
  await pressInComposition(page, 'Enter')
  await expect(composer(page)).toHaveValue('にほんご')

  const fork = await startFork(page, '日本語')
  await fork.prompt.focus()
  await pressInComposition(page, 'Enter', CONTROL)
  await pressInComposition(page, 'Escape')
  await expect(fork.prompt).toHaveValue('日本語')
  await expect(fork.progress).toBeEmpty()
  await fork.cancel.click()

  await headerTitle(page).click()
  const field = page.getByRole('textbox', { name: 'New title' })
  await field.fill('題名')
  await pressInComposition(page, 'Enter')
  await pressInComposition(page, 'Escape')
  await expect(field).toHaveValue('題名')
  await field.press('Escape')
  // The same keys outside a composition act: what was tested above is not merely dead.
  await composer(page).press('Enter')
  await expect(composer(page)).toHaveValue('')
  const after = await readLog(main.logPath)
  expect(queuedPrompts(after, before.events.length)).toEqual(['にほんご'])
  expect(after.events.filter((event) => event.type === 'session/title')).toHaveLength(1)
  expect(await forkLogs(main)).toEqual([])
})

test('shortcuts are quiet while a field has the focus or a dialog is open', async ({ launch, home }) => {
  await writeMain(home, { cwd: home, title: 'Main', turns: [{ prompt: 'Go' }] })
  const { page } = await launch({ home })
  await composer(page).fill('Typing')
  await composer(page).focus()
  await page.keyboard.press('Control+B')
  await page.keyboard.press('Control+Shift+F')
  await page.keyboard.press('F2')
  await expect(page.getByRole('navigation', { name: 'Sessions' })).toBeVisible()
  await expect(forkDialog(page).dialog).toHaveCount(0)
  await expect(page.getByRole('textbox', { name: 'New title' })).toHaveCount(0)
  await row(page, 'Main').focus()
  await page.keyboard.press('Control+B')
  await expect(page.getByRole('navigation', { name: 'Sessions' })).toHaveCount(0)
})

const CONTROL = 2

/** A key that the input method takes for itself, as Chromium reports it: with key code 229. */
async function pressInComposition(page: Page, key: 'Enter' | 'Escape', modifiers = 0): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const press = { key, code: key, windowsVirtualKeyCode: 229, nativeVirtualKeyCode: 229, modifiers }
  await session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...press })
  await session.send('Input.dispatchKeyEvent', { type: 'keyUp', ...press })
  await session.detach()
}
