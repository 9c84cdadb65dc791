import { appendFile, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from './app.ts'
import { continueDshSession, writeDshSession } from './dsh-fixtures.ts'
import { test } from './home.ts'
import { sharedFixtures, stateOf, treeline } from './on-disk.ts'
import { row, rowNames, subagentsControl, transcript } from './screen.ts'
import type { Page } from '@playwright/test'

// DSH's own sessions come in when asked for: as a tree, with a report, and the source stays as it is.

test('a whole DSH home comes in from the first start: forks below mains, helpers in the header, faults told', async ({
  launch,
  home,
}) => {
  const logs = join(home, 'sessions-plain')
  const main = await writeDshSession(logs, { cwd: home, turns: [{ prompt: 'Add retry to the uploader' }] })
  const helper = await writeDshSession(logs, {
    cwd: home,
    turns: [{ prompt: 'Find the tests' }],
    parent: { session: main, as: 'subagent' },
  })
  await writeDshSession(logs, {
    cwd: home,
    turns: [{ prompt: 'Read one test' }],
    parent: { session: helper, as: 'subagent' },
  })
  await writeDshSession(logs, {
    cwd: home,
    turns: [{ prompt: 'Use full jitter' }],
    parent: { session: main, as: 'fork' },
  })
  const gone = { id: 'session-00000000-0000-4000-8000-0000000000aa', depth: 0 }
  await writeDshSession(logs, {
    cwd: home,
    turns: [{ prompt: 'Its main is gone' }],
    parent: { session: gone, as: 'fork' },
  })
  const broken = await writeDshSession(logs, { cwd: home, turns: [{ prompt: 'Broken' }] })
  await writeFile(broken.logPath, 'this is no session\n')
  const source = await stateOf(logs)

  const { page } = await launch({ home })
  await page.getByRole('button', { name: 'Import 6 sessions' }).click()
  const report = page.getByRole('dialog', { name: 'Import finished' })
  await expect(report).toContainText('5 sessions imported.')
  await expect(report).toContainText('Could not be read · 1')
  await expect(report.getByRole('listitem')).toContainText(broken.id.slice('session-'.length, 'session-'.length + 8))
  await expect(report.getByRole('listitem')).toContainText(broken.logPath)
  await report.getByRole('button', { name: 'Done' }).click()

  await expect(row(page, 'Use full jitter')).toHaveAttribute('aria-level', '2')
  expect((await rowNames(page)).toSorted()).toEqual([
    'Add retry to the uploader',
    'Its main is gone',
    'Use full jitter',
  ])
  await row(page, 'Add retry to the uploader').click()
  await expect(subagentsControl(page)).toHaveText('2 subagents')
  await expect(transcript(page)).toContainText('Add retry to the uploader')
  expect(await stateOf(logs)).toEqual(source)
  expect((await treeline(home, 'check')).code).toBe(0)
})

test('a second import brings what is new, leaves the rest, and tells what differs', async ({ launch, home }) => {
  const logs = join(home, 'sessions')
  const grows = await writeDshSession(logs, { cwd: home, turns: [{ prompt: 'This one goes on' }] })
  const differs = await writeDshSession(logs, { cwd: home, turns: [{ prompt: 'This one splits' }] })
  const { page } = await launch({ home })
  await page.getByRole('button', { name: 'Import 2 sessions' }).click()
  await expect(page.getByText('2 sessions imported.')).toBeVisible()

  await continueDshSession(grows, [{ prompt: 'And then some more' }])
  await continueDshSession(differs, [{ prompt: 'On their side' }])
  const ours = join(home, 'session-tree', differs.id, 'session.jsonl')
  const { length } = (await readFile(ours, 'utf8')).trimEnd().split('\n')
  const event = {
    type: 'session/title',
    seq: length - 1,
    time: Date.now(),
    data: { title: 'On ours', messageSeqs: [] },
  }
  await appendFile(ours, `${JSON.stringify(event)}\n`)
  await writeDshSession(logs, { cwd: home, turns: [{ prompt: 'This one is new' }] })

  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'Import from this home' }).click()
  const report = page.getByRole('dialog', { name: 'Import finished' })
  await expect(report).toContainText('1 session imported, 1 continued')
  await expect(report).toContainText('Differ from the session already here · 1')
  await report.getByRole('button', { name: 'Done' }).click()
  await row(page, 'This one goes on').click()
  await expect(transcript(page)).toContainText('And then some more')
  await expect(row(page, 'This one is new')).toBeVisible()
})

test('another folder can be chosen, and choosing none does nothing', async ({ launch, home }) => {
  const elsewhere = join(home, 'Sicherung 2026')
  await writeDshSession(elsewhere, { cwd: home, turns: [{ prompt: 'From a backup' }] })
  const { app, page } = await launch({ home })
  const choose = page.getByRole('button', { name: 'Choose another folder…' })
  await app.evaluate(({ dialog }) => {
    dialog.showOpenDialog = async () => ({ canceled: true, filePaths: [] })
  })
  await choose.click()
  await expect(choose).toBeVisible()
  await app.evaluate(({ dialog }, folder) => {
    dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [folder] })
  }, elsewhere)
  await choose.click()
  await expect(row(page, 'From a backup')).toBeVisible()
})

test('an import can be ended, and what came in by then is whole', async ({ launch, home }) => {
  const logs = join(home, 'sessions')
  await mkdir(logs)
  const one = await writeDshSession(logs, { cwd: home, turns: [{ prompt: 'Many of these' }] })
  const body = await readFile(one.logPath, 'utf8')
  const count = 400
  await Promise.all(
    Array.from({ length: count - 1 }, async (_, index) => {
      const id = `session-${String(index).padStart(8, '0')}-0000-4000-8000-000000000000`
      const folder = join(one.logPath, '..', '..', id)
      await mkdir(folder)
      await writeFile(join(folder, 'session.jsonl'), body.replace(one.id, id))
    }),
  )
  const { page } = await launch({ home })
  await page.getByRole('button', { name: `Import ${count} sessions` }).click()
  await cancelAfterTheFirst(page)
  const said = page.getByText(/^Cancelled: \d+ sessions? imported/)
  await expect(said).toBeVisible()
  const imported = await readdir(join(home, 'session-tree'))
  expect(imported.length).toBeLessThan(count)
  await expect(said).toHaveText(new RegExp(`^Cancelled: ${imported.length} `))
  expect((await treeline(home, 'check')).code).toBe(0)
})

test.describe('logs of the real DSH', () => {
  test.skip(!existsSync(sharedFixtures), 'the fixtures lie beside the project, not in it')

  for (const form of ['plain', 'zstd'] as const) {
    test(`stored ${form} come in, none as a helper in the sidebar`, async ({ launch, home }) => {
      const logs = join(home, 'sessions')
      await cp(join(sharedFixtures, 'dsh', form), logs, { recursive: true })
      const names = await readdir(logs, { recursive: true })
      const files = names.filter((name) => /session\.jsonl(\.zstd)?$/.test(name))
      const source = await stateOf(logs)
      const { page } = await launch({ home })
      await page.getByRole('button', { name: `Import ${files.length} sessions` }).click()
      await expect(page.getByText(`${files.length} sessions imported`)).toBeVisible()
      const { sessions } = JSON.parse((await treeline(home, 'session', 'list')).stdout)
      const wanted = sessions.flatMap((main: { forks: unknown[] }) => [main, ...main.forks]).length
      await expect(page.getByText(`${wanted} sessions`, { exact: true })).toBeVisible()
      await expect.poll(async () => (await rowNames(page)).length).toBe(wanted)
      expect(wanted).toBeLessThan(files.length)
      expect(await stateOf(logs)).toEqual(source)
    })
  }
})

/** Presses Cancel in the very frame in which the bar shows that a session is in: an import of some hundreds is quick. */
async function cancelAfterTheFirst(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (;;) {
      const done = document.querySelector('[role="progressbar"]')?.getAttribute('aria-valuenow')
      if (Number(done) > 0) break
      await new Promise((drawn) => requestAnimationFrame(drawn))
    }
    const buttons = document.querySelectorAll<HTMLButtonElement>('.import-running button')
    buttons[0]?.click()
  })
}
