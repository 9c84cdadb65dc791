import { expect } from './app.ts'
import { appendRaw, writeMain } from './fixtures.ts'
import { test } from './home.ts'
import { catchMenus, clickItem, menuItems } from './menus.ts'
import { readLog } from './on-disk.ts'
import { headerTitle, row } from './screen.ts'

// A title is data in the log, no name of a folder: it is written there, moves nothing, and is there again after a restart.

test('in the row by F2, in the header by a click, from the menu; Escape keeps the old one', async ({
  launch,
  home,
}) => {
  const main = await writeMain(home, { cwd: home, turns: [{ prompt: 'Add retry to the uploader' }] })
  const { app, page } = await launch({ home })
  const field = page.getByRole('textbox', { name: 'New title' })
  await row(page, 'Add retry to the uploader').focus()
  await page.keyboard.press('F2')
  await expect(field).toBeFocused()
  await field.fill('Retry')
  await field.press('Enter')
  await expect(row(page, 'Retry')).toBeVisible()
  await expect(headerTitle(page)).toHaveText('Retry')

  await headerTitle(page).click()
  await expect(field).toHaveValue('Retry')
  await field.fill('Retry / with: jitter')
  await field.press('Enter')
  await expect(row(page, 'Retry / with: jitter')).toBeVisible()

  await catchMenus(app)
  await row(page, 'Retry / with: jitter').click({ button: 'right' })
  await expect.poll(() => menuItems(app)).not.toEqual([])
  await clickItem(app, 'rename')
  await field.fill('Nicht doch')
  await field.press('Escape')
  await expect(row(page, 'Retry / with: jitter')).toBeVisible()
  await row(page, 'Retry / with: jitter').focus()
  await page.keyboard.press('F2')
  await field.fill('Größer 🌳')
  await field.blur()
  await expect(row(page, 'Größer 🌳')).toBeVisible()

  const titles = async () =>
    (await readLog(main.logPath)).events
      .filter((event) => event.type === 'session/title')
      .map((event) => event.data['title'])
  await expect.poll(titles).toEqual(['Retry', 'Retry / with: jitter', 'Größer 🌳'])
  const { events } = await readLog(main.logPath)
  expect(events.at(-1)?.data).toMatchObject({ source: { kind: 'user' } })
  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index))
})

test('a restart shows the new title', async ({ launch, home }) => {
  await writeMain(home, { cwd: home, turns: [{ prompt: 'Add retry to the uploader' }] })
  const first = await launch({ home })
  await headerTitle(first.page).click()
  await first.page.getByRole('textbox', { name: 'New title' }).fill('Größer 🌳')
  await first.page.keyboard.press('Enter')
  await expect(row(first.page, 'Größer 🌳')).toBeVisible()
  await first.close()
  const { page } = await launch({ home })
  await expect(row(page, 'Größer 🌳')).toBeVisible()
  await expect(headerTitle(page)).toHaveText('Größer 🌳')
})

test('a title that cannot be written is refused in words, and the old name is back', async ({ launch, home }) => {
  const main = await writeMain(home, { cwd: home, turns: [{ prompt: 'Its own prompt' }] })
  await appendRaw(main, '{"type":"turn/st\n')
  const { page } = await launch({ home })
  await row(page, 'Its own prompt').focus()
  await page.keyboard.press('F2')
  await page.getByRole('textbox', { name: 'New title' }).fill('Never written')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alert')).toContainText('The last line of')
  await expect(row(page, 'Its own prompt')).toBeVisible()
  await expect(headerTitle(page)).toHaveText('Its own prompt')
})
