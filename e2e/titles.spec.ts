import { expect } from './app.ts'
import { writeMain } from './fixtures.ts'
import { test } from './home.ts'
import { headerTitle, startFork } from './screen.ts'

// Titles come from models and from other programs: each is one row of plain letters, whole in the tooltip (field fault F29).

const cases = [
  {
    name: 'line breaks',
    title: 'first line\nsecond line\r\nthird\u2028fourth',
    shown: 'first line second line third fourth',
  },
  { name: 'only spaces', title: '   \t  ', shown: 'The prompt of only spaces' },
  { name: 'invisible only', title: '\u200b\u2060\ufeff', shown: 'The prompt of invisible only' },
  { name: 'an emoji at a usual cut', title: `${'a'.repeat(79)}😀x`, shown: `${'a'.repeat(79)}😀x` },
  { name: 'joined emoji', title: '👩‍👩‍👧‍👦🏳️‍🌈👍🏽 family', shown: '👩‍👩‍👧‍👦🏳️‍🌈👍🏽 family' },
  {
    name: 'combining marks',
    title: 'Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324algo',
    shown: 'Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324algo',
  },
  { name: 'right to left', title: 'שלום world (1) قائمة', shown: 'שלום world (1) قائمة', direction: 'rtl' },
  { name: 'a direction override', title: 'report\u202egnp.exe', shown: 'reportgnp.exe' },
  { name: 'long, no spaces', title: 'x'.repeat(300), shown: 'x'.repeat(300), isCut: true },
  {
    name: 'markup',
    title: '<img src=x onerror=alert(1)><b>bold</b>',
    shown: '<img src=x onerror=alert(1)><b>bold</b>',
  },
  { name: 'a path', title: '../../etc/passwd', shown: '../../etc/passwd' },
  { name: 'control signs', title: 'ring\u0007 esc\u001b[31mred', shown: 'ring escred' },
  {
    name: 'wide signs',
    title: '果园里的苹果和梨子需要在冬天之前全部收完并且记在账上',
    shown: '果园里的苹果和梨子需要在冬天之前全部收完并且记在账上',
    isCut: true,
  },
] as const

test('each is one row of the usual height, plain, and whole in the tooltip; header and dialog as well', async ({
  launch,
  home,
}) => {
  const sessions = []
  for (const { name, title } of cases)
    sessions.push(await writeMain(home, { cwd: home, title, turns: [{ prompt: `The prompt of ${name}` }] }))
  const { page } = await launch({ home })
  for (const [index, session] of sessions.entries()) {
    const wanted = cases[index]
    if (wanted === undefined) throw new Error('There is a case for each session')
    const line = page.locator(`#row-${session.id}`)
    const title = line.locator('.row-title')
    await expect(title, wanted.name).toHaveText(wanted.shown)
    await expect(title, wanted.name).toHaveAttribute('title', wanted.shown)
    const box = await line.boundingBox()
    expect(box?.height, wanted.name).toBe(30)
    const drawn = await title.evaluate((element) => ({
      direction: getComputedStyle(element).direction,
      isCut: element.scrollWidth > element.clientWidth,
      overflow: getComputedStyle(element).overflow,
      ellipsis: getComputedStyle(element).textOverflow,
    }))
    expect(drawn, wanted.name).toMatchObject({ overflow: 'hidden', ellipsis: 'ellipsis' })
    expect(drawn.direction, wanted.name).toBe('direction' in wanted ? wanted.direction : 'ltr')
    if ('isCut' in wanted) expect(drawn.isCut, wanted.name).toBe(true)
  }
  // The two other places where a title stands, with the ones that are most likely to break them.
  for (const index of [0, 7, 8, 9]) {
    const session = sessions[index]
    const shown = cases[index]?.shown ?? ''
    await page.locator(`#row-${session?.id}`).click()
    await expect(headerTitle(page)).toHaveText(shown)
    await expect(headerTitle(page)).toHaveAttribute(
      'title',
      new RegExp(`^${shown.slice(0, 12).replace(/[.<()]/g, '.')}`),
    )
    const fork = await startFork(page, 'x')
    await expect(fork.dialog.locator('.fork-from')).toHaveText(shown)
    await fork.cancel.click()
  }
  expect(await page.locator('img[src="x"], .row-title b').count()).toBe(0)
})
