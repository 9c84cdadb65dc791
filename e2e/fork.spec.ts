import { readFile } from 'node:fs/promises'
import { expect } from './app.ts'
import { writeMain } from './fixtures.ts'
import { test } from './home.ts'
import { clickItem, catchMenus, menuItems } from './menus.ts'
import { forkLogs, onlyFork, queuedPrompts, readLog, type LogOnDisk } from './on-disk.ts'
import { forkDialog, headerTitle, row, rowNames, startFork, transcript } from './screen.ts'

// A fork: asked for from the row's menu, described before it is made, and on disk exactly what the window says.

test('from the row menu: the child has the parent’s bytes, and the prompt is its own', async ({ launch, home }) => {
  const main = await writeMain(home, {
    cwd: home,
    title: 'Uploader',
    turns: [
      { prompt: 'Add retry', steps: [{ text: 'First.', tools: [{ name: 'read', arguments: {}, result: 'ok' }] }] },
      { prompt: 'Now tests', steps: [{ text: 'Second.' }, { text: 'Third.' }] },
    ],
  })
  const before = await readFile(main.logPath)
  const { app, page } = await launch({ home })
  await catchMenus(app)
  await row(page, 'Uploader').click({ button: 'right' })
  await expect.poll(() => menuItems(app)).not.toEqual([])
  await clickItem(app, 'fork')

  const fork = forkDialog(page)
  await expect(fork.dialog).toHaveAccessibleName('Fork session')
  await expect(fork.dialog).toContainText('from Uploader, after step 2 of turn 2')
  await expect(fork.sameFolder).toBeChecked()
  await fork.prompt.fill('Use full jitter instead')
  await fork.title.fill('Full jitter')
  await expect(fork.dialog).toContainText(/Inherits\d+ events, through step 2/)
  await fork.fork.click()
  await expect(fork.dialog).toHaveCount(0)

  await expect(headerTitle(page)).toHaveText('Full jitter')
  await expect(row(page, 'Full jitter')).toHaveAttribute('aria-level', '2')
  await expect(row(page, 'Full jitter')).toHaveAttribute('aria-current', 'true')
  await expect(transcript(page)).toContainText('Forked from Uploader after step 2 of turn 2')
  await expect(transcript(page)).toContainText('Use full jitter instead')
  await expect(transcript(page)).toContainText('Waiting in the inbox')

  // Through the end of the last turn; the title that the parent was given after it is the parent's alone.
  const parent = await readLog(main.logPath)
  const seedLength = parent.events.findLastIndex((event) => event.type === 'turn/end') + 1
  const child = await readLog(await onlyFork(main))
  expect(await readFile(main.logPath)).toEqual(before)
  expect(child.header).toMatchObject({
    kind: 'fork',
    parent_session_id: main.id,
    root_session_id: main.id,
    cwd: home,
    seedLength,
  })
  expectSeed(child, parent, seedLength)
  expect(queuedPrompts(child, seedLength)).toEqual(['Use full jitter instead'])
})

test('inside an open step only what is finished goes along, and the dialog says so', async ({ launch, home }) => {
  const main = await writeMain(home, {
    cwd: home,
    title: 'At work',
    turns: [
      {
        prompt: 'Look around',
        steps: [{ text: 'Looked.' }, { text: 'Running', tools: [{ name: 'bash', arguments: {}, result: '' }] }],
        end: 'in-step',
      },
    ],
  })
  const { page } = await launch({ home })
  const fork = await startFork(page, 'Try another way')
  await expect(fork.progress).toHaveText('The step in progress is not copied.')
  await fork.fork.click()
  await expect(fork.dialog).toHaveCount(0)

  const parent = await readLog(main.logPath)
  const end = parent.events.find((event) => event.type === 'step/end')?.seq ?? -1
  const child = await readLog(await onlyFork(main))
  expect(child.header['seedLength']).toBe(end + 1)
  expectSeed(child, parent, end + 1)
  expect(child.events.filter((event) => event.type === 'tool/call')).toEqual([])
})

test('what is inherited is folded behind the mark, which leads to the parent', async ({ launch, home }) => {
  await writeMain(home, {
    cwd: home,
    title: 'Parent',
    turns: [{ prompt: 'The first words', steps: [{ text: 'Yes.' }] }],
  })
  const { page } = await launch({ home })
  const fork = await startFork(page, 'The second words')
  await fork.fork.click()
  await expect(headerTitle(page)).toHaveText('The second words')
  await expect(transcript(page)).toContainText('The second words')
  await expect(transcript(page)).not.toContainText('The first words')
  await transcript(page)
    .getByRole('button', { name: /inherited events$/ })
    .click()
  await expect(transcript(page)).toContainText('The first words')
  await transcript(page).getByRole('button', { name: 'Parent', exact: true }).click()
  await expect(headerTitle(page)).toHaveText('Parent')
})

test('closing the dialog makes nothing and keeps what was typed; each session has its own', async ({
  launch,
  home,
}) => {
  const main = await writeMain(home, { cwd: home, title: 'One', turns: [{ prompt: 'Go' }] })
  await writeMain(home, { cwd: home, title: 'Two', turns: [{ prompt: 'Go' }] })
  const { page } = await launch({ home })
  await row(page, 'One').click()
  await expect(headerTitle(page)).toHaveText('One')
  const fork = await startFork(page, 'Half a thought')
  await page.keyboard.press('Escape')
  await expect(fork.dialog).toHaveCount(0)
  await row(page, 'Two').click()
  await expect(headerTitle(page)).toHaveText('Two')
  await page.keyboard.press('Control+Shift+F')
  await expect(fork.prompt).toHaveValue('')
  await expect(fork.prompt).toBeFocused()
  await fork.cancel.click()
  await row(page, 'One').click()
  await expect(headerTitle(page)).toHaveText('One')
  await page.keyboard.press('Control+Shift+F')
  await expect(fork.prompt).toHaveValue('Half a thought')
  await fork.cancel.click()
  await expect(fork.dialog).toHaveCount(0)
  expect(await forkLogs(main)).toEqual([])
  expect((await rowNames(page)).toSorted()).toEqual(['One', 'Two'])
})

/** The first `length` records behind the child's header are the parent's, byte for byte. */
function expectSeed(child: LogOnDisk, parent: LogOnDisk, length: number): void {
  const seed = parent.body
    .toString()
    .split('\n')
    .slice(0, length)
    .map((line) => `${line}\n`)
    .join('')
  expect(child.body.subarray(0, Buffer.byteLength(seed)).toString()).toBe(seed)
  expect(child.header['seedBytes']).toBe(child.headerBytes.length + Buffer.byteLength(seed))
}
