import { expect } from './app.ts'
import { writeFork, writeMain } from './fixtures.ts'
import { test } from './home.ts'
import { catchMenus, clickItem, menuItems, menuPlace } from './menus.ts'
import { headerTitle, row, rowNames, sessionTree } from './screen.ts'

// The sidebar by keys alone: one tab stop, the WAI-ARIA tree's keys, the row's menu.

async function writeOrchard(home: string): Promise<void> {
  const apples = await writeMain(home, { cwd: home, title: 'Apples', turns: [{ prompt: 'Go' }], at: minutesAgo(10) })
  await writeFork(apples, { title: 'Apple pie', turns: [{ prompt: 'Bake' }], at: minutesAgo(20) })
  await writeFork(apples, { title: 'Apple juice', turns: [{ prompt: 'Press' }], at: minutesAgo(30) })
  await writeMain(home, { cwd: home, title: 'Birnen', turns: [{ prompt: 'Go' }], at: minutesAgo(40) })
  await writeMain(home, { cwd: home, title: 'Cherries', turns: [{ prompt: 'Go' }], at: minutesAgo(50) })
}

test('arrows, Home, End, letters and Enter', async ({ launch, home }) => {
  await writeOrchard(home)
  const { page } = await launch({ home })
  expect(await rowNames(page)).toEqual(['Apples', 'Apple pie', 'Apple juice', 'Birnen', 'Cherries'])
  await row(page, 'Apples').focus()
  await expect(sessionTree(page).locator('[tabindex="0"]')).toHaveCount(1)
  const steps = [
    ['ArrowDown', 'Apple pie'],
    ['ArrowUp', 'Apples'],
    ['End', 'Cherries'],
    ['Home', 'Apples'],
    ['ArrowRight', 'Apple pie'],
    ['ArrowLeft', 'Apples'],
    ['b', 'Birnen'],
    ['ArrowDown', 'Cherries'],
  ] as const
  for (const [key, name] of steps) {
    await page.keyboard.press(key)
    await expect(row(page, name)).toBeFocused()
  }
  // Moving looks; only Enter opens.
  await expect(headerTitle(page)).toHaveText('Apples')
  await page.keyboard.press('Enter')
  await expect(headerTitle(page)).toHaveText('Cherries')
  await expect(row(page, 'Cherries')).toHaveAttribute('aria-current', 'true')
  await expect(row(page, 'Cherries')).toBeFocused()
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowLeft')
  await expect(row(page, 'Apples')).toHaveAttribute('aria-expanded', 'false')
  await page.keyboard.press('ArrowDown')
  await expect(row(page, 'Birnen')).toBeFocused()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowRight')
  await expect(row(page, 'Apples')).toHaveAttribute('aria-expanded', 'true')
  await expect(row(page, 'Apples')).toBeFocused()
})

test('Tab reaches the tree once, and the row says what a screen reader needs', async ({ launch, home }) => {
  await writeOrchard(home)
  const { page } = await launch({ home })
  await page.getByRole('searchbox', { name: 'Search sessions' }).focus()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'New session' }).first()).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(row(page, 'Apples')).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(sessionTree(page).locator(':focus')).toHaveCount(0)
  await page.keyboard.press('Shift+Tab')
  await expect(row(page, 'Apples')).toBeFocused()
  await expect(row(page, 'Apples')).toHaveAttribute('aria-setsize', '3')
  await expect(row(page, 'Apple juice')).toHaveAttribute('aria-posinset', '2')
  await expect(row(page, 'Apple juice')).toHaveAttribute('aria-setsize', '2')
  await expect(row(page, 'Birnen')).not.toHaveAttribute('aria-expanded')
})

test('Shift+F10 and the Menu key open the row’s menu at the row; its Open opens', async ({ launch, home }) => {
  await writeOrchard(home)
  const { app, page } = await launch({ home })
  await catchMenus(app)
  await row(page, 'Birnen').focus()
  await page.keyboard.press('Shift+F10')
  await expect.poll(() => menuItems(app)).toContainEqual(['open', 'Open', true])
  const box = await row(page, 'Birnen').boundingBox()
  const { x = -1, y = -1 } = await menuPlace(app)
  expect(y).toBe(Math.round((box?.y ?? 0) + (box?.height ?? 0)))
  expect(x).toBeGreaterThan(box?.x ?? 0)
  await clickItem(app, 'open')
  await expect(headerTitle(page)).toHaveText('Birnen')
  await row(page, 'Apple pie').focus()
  await page.keyboard.press('ContextMenu')
  await expect.poll(() => menuItems(app)).toContainEqual(['fork', 'Fork Session… (a fork cannot be forked)', false])
})

test('searching keeps what matches and says how many; Escape brings all back', async ({ launch, home }) => {
  await writeOrchard(home)
  const { page } = await launch({ home })
  await page.keyboard.press('Control+F')
  const search = page.getByRole('searchbox', { name: 'Search sessions' })
  await expect(search).toBeFocused()
  await page.keyboard.type('juice')
  await expect.poll(() => rowNames(page)).toEqual(['Apples', 'Apple juice'])
  await expect(page.getByText('2 of 5 sessions')).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await expect(sessionTree(page).locator(':focus')).toHaveCount(1)
  await search.fill('nothing like it')
  await expect(page.getByText('No session matches.')).toBeVisible()
  await search.press('Escape')
  await expect.poll(() => rowNames(page)).toHaveLength(5)
})

function minutesAgo(minutes: number): number {
  return Date.now() - minutes * 60_000
}
