import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { expect } from './app.ts'
import { writeMain } from './fixtures.ts'
import { test } from './home.ts'
import { catchMenus, clickItem, menuItems } from './menus.ts'
import { row } from './screen.ts'

// The log in the person's own editor: a program of its own that gets the path as one argument.

test('the editor chosen in the settings gets the whole path as one argument, by button, key and menu', async ({
  launch,
  home,
}) => {
  const odd = join(home, 'Zu Hause & 秃发 $HOME')
  const main = await writeMain(odd, { cwd: home, title: 'Main', turns: [{ prompt: 'Go' }] })
  const record = join(home, 'recorded')
  const editor = await recordingEditor(join(home, 'my ëditors'), record)
  const { app, page } = await launch({ home: odd })
  await chooseEditor(page, editor)
  const opened = () => readFile(record, 'utf8').catch(() => '')
  const one = `${JSON.stringify([main.logPath])}\n`

  await page.getByRole('button', { name: 'Open log in editor' }).click()
  await expect.poll(opened).toBe(one)
  await row(page, 'Main').focus()
  await page.keyboard.press('Control+O')
  await expect.poll(opened).toBe(one.repeat(2))
  await catchMenus(app)
  await row(page, 'Main').click({ button: 'right' })
  await expect.poll(() => menuItems(app)).not.toEqual([])
  await clickItem(app, 'open-log')
  await expect.poll(opened).toBe(one.repeat(3))
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('an editor with arguments of its own gets them before the path', async ({ launch, home }) => {
  const main = await writeMain(home, { cwd: home, title: 'Main', turns: [{ prompt: 'Go' }] })
  const record = join(home, 'recorded')
  const editor = await recordingEditor(join(home, 'editors'), record)
  const { page } = await launch({ home })
  await chooseEditor(page, `${editor} --wait "two words" $HOME`)
  await page.getByRole('button', { name: 'Open log in editor' }).click()
  await expect
    .poll(() => readFile(record, 'utf8').catch(() => ''))
    .toBe(`${JSON.stringify(['--wait', 'two words', '$HOME', main.logPath])}\n`)
})

for (const [name, make] of [
  ['is not there', async (home: string) => join(home, 'no editor')],
  [
    'dies at once',
    async (home: string) => {
      const editor = join(home, 'dying')
      await writeFile(editor, '#!/bin/sh\nexit 3\n')
      await chmod(editor, 0o755)
      return editor
    },
  ],
] as const) {
  test(`an editor that ${name} is said in words, with the way to choose another`, async ({ launch, home }) => {
    await writeMain(home, { cwd: home, title: 'Main', turns: [{ prompt: 'Go' }] })
    const editor = await make(home)
    const { page } = await launch({ home })
    await chooseEditor(page, editor)
    await page.getByRole('button', { name: 'Open log in editor' }).click()
    const said = page.getByRole('alert')
    await expect(said).toContainText(`The log was not opened in ${JSON.stringify(editor)}`)
    await expect(said).toContainText('Choose another editor under Settings → Editor.')
    await said.getByRole('button', { name: 'Dismiss' }).click()
    await expect(said).toHaveCount(0)
  })
}

/** An editor of the person's choice, which writes down what it was started with, a line each time. */
async function recordingEditor(folder: string, record: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  const editor = join(folder, 'editor')
  const save = `require('fs').appendFileSync(${JSON.stringify(record)}, JSON.stringify(process.argv.slice(2)) + '\\n')`
  await writeFile(editor, `#!${process.execPath}\n${save}\n`)
  await chmod(editor, 0o755)
  return editor
}

/** As a person does it: in the settings. Resolves once the choice is in force. */
async function chooseEditor(page: Page, command: string): Promise<void> {
  await page.keyboard.press('Control+Comma')
  const settings = page.getByRole('dialog', { name: 'Settings' })
  await settings.getByRole('combobox', { name: 'Editor for logs' }).selectOption('Another command…')
  await settings.getByRole('textbox', { name: 'Editor command' }).fill(command)
  await settings.getByRole('textbox', { name: 'Editor command' }).press('Enter')
  await expect
    .poll(async () => {
      const view = await page.evaluate(() => window.treeline.navigator.settings())
      return view.ok ? view.value.settings.editor : null
    })
    .toBe(command)
  await settings.getByRole('button', { name: 'Done' }).click()
  await expect(settings).toHaveCount(0)
}
