import { mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from './app.ts'
import { appendTurns, writeFork, writeMain, type SessionFixture } from './fixtures.ts'
import { test } from './home.ts'
import { replaceLine } from './odd-sessions.ts'
import { stateOf } from './on-disk.ts'
import { headerTitle, row, rowNames, sessionTree, transcript } from './screen.ts'

// One bad session never takes its neighbours down: it stays, with the reason, and everything sound around it works.

test('a damaged line is shown where it stands, between what can be read', async ({ launch, home }) => {
  const main = await writeMain(home, { cwd: home, turns: [{ prompt: 'Before the damage' }] })
  const line = (await readFile(main.logPath, 'utf8')).trimEnd().split('\n').length
  await appendTurns(main, [{ prompt: 'After the damage' }])
  await replaceLine(main, line, '{"type":"turn/end","seq":7,"ti{"type":"turn/end","seq":7}')
  await writeMain(home, { cwd: home, title: 'Sound', turns: [{ prompt: 'All is well' }] })
  const tree = await stateOf(join(home, 'session-tree'))
  const { page } = await launch({ home })
  await row(page, 'Before the damage').click()
  await expect(transcript(page)).toContainText('Before the damage')
  await expect(transcript(page)).toContainText('After the damage')
  const bad = transcript(page).locator('.block-bad')
  await expect(bad).toContainText(new RegExp(`^Line ${line}, byte [\\d,]+ cannot be read`))
  await expect(bad).toContainText('{"type":"turn/end","seq":7,"ti{')
  const blocks = await transcript(page).locator('.block').allInnerTexts()
  const at = (text: string) => blocks.findIndex((block) => block.includes(text))
  expect(at('Before the damage')).toBeLessThan(at('cannot be read'))
  expect(at('cannot be read')).toBeLessThan(at('After the damage'))
  await row(page, 'Sound').click()
  await expect(transcript(page)).toContainText('All is well')
  expect(await stateOf(join(home, 'session-tree'))).toEqual(tree)
})

test('logs without a readable header stay listed beside sound ones, each with its reason', async ({ launch, home }) => {
  const sound = await writeMain(home, { cwd: home, title: 'Sound', turns: [{ prompt: 'All is well' }] })
  await writeFork(sound, { title: 'Sound fork', turns: [{ prompt: 'Also well' }] })
  const broken: [SessionFixture, RegExp][] = [
    [await writeMain(home, { cwd: home, id: 'session-0e000000-0000-4000-8000-000000000001' }), /is empty/],
    [await writeMain(home, { cwd: home, id: 'session-0e000000-0000-4000-8000-000000000002' }), /header of .* is cut/],
    [await writeMain(home, { cwd: home, id: 'session-0e000000-0000-4000-8000-000000000003' }), /is no/],
    [await writeMain(home, { cwd: home, id: 'session-0e000000-0000-4000-8000-000000000004' }), /says/],
  ]
  const [empty, cut, garbage, foreign] = broken.map(([session]) => session)
  await truncate(empty?.logPath ?? '', 0)
  await truncate(cut?.logPath ?? '', 60)
  await writeFile(garbage?.logPath ?? '', 'not a session at all\n')
  await writeFile(
    foreign?.logPath ?? '',
    `${JSON.stringify({ type: 'session', version: 0, id: sound.id, createdAt: 1, cwd: home, delegationDepth: 0, kind: 'main', root_session_id: sound.id })}\n`,
  )
  const { page } = await launch({ home })
  await expect(sessionTree(page).getByRole('treeitem')).toHaveCount(6)
  for (const [session, reason] of broken) {
    const odd = page.locator(`#row-${session.id}`)
    await expect(odd).toHaveAccessibleDescription(reason)
    await odd.click()
    // In place where there is a line to show, else in the transcript's stead, with the path.
    await expect(page.locator('.transcript')).toContainText(reason)
  }
  await page.getByRole('button', { name: '4 unreadable' }).click()
  const list = page.getByRole('dialog', { name: 'Sessions that cannot be read' })
  await expect(list.getByRole('listitem')).toHaveCount(4)
  await list.getByRole('button', { name: 'Done' }).click()
  await row(page, 'Sound fork').click()
  await expect(transcript(page)).toContainText('Also well')
})

test('a folder that is gone, or of another system, is a mark; the path stays as it was written', async ({
  launch,
  home,
}) => {
  const gone = join(home, 'renamed')
  await mkdir(gone)
  await writeMain(home, { cwd: gone, title: 'Renamed', turns: [{ prompt: 'Its log opens' }] })
  await writeMain(home, { cwd: 'C:\\Users\\dev\\orchard', title: 'Windows', turns: [{ prompt: 'Far away' }] })
  await rm(gone, { recursive: true })
  const { page } = await launch({ home })
  for (const [name, path, words] of [
    ['Renamed', gone, 'Its log opens'],
    ['Windows', 'C:\\Users\\dev\\orchard', 'Far away'],
  ] as const) {
    await row(page, name).click()
    await expect(headerTitle(page)).toHaveText(name)
    await expect(transcript(page)).toContainText(words)
    const mark = row(page, name).getByLabel('folder missing')
    expect(await mark.getAttribute('title')).toContain(path)
    await mark.click()
    await expect(page.locator('.place-popup')).toContainText(path)
    await page.keyboard.press('Escape')
  }
  expect((await rowNames(page)).toSorted()).toEqual(['Renamed', 'Windows'])
})
