import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from './app.ts'
import { writeDshSession } from './dsh-fixtures.ts'
import { writeMain } from './fixtures.ts'
import { test } from './home.ts'
import { sessionTree } from './screen.ts'

// The first thing a person sees: where was looked, what was found, what can be done. Nothing happens unasked.

test('an empty home says where it looked and what can be done', async ({ launch, home }) => {
  const { page } = await launch({ home })
  const first = page.getByRole('region', { name: 'First start' })
  await expect(first.getByRole('heading', { name: 'No sessions here yet' })).toBeVisible()
  await expect(first).toContainText(join(home, 'session-tree'))
  await expect(first).toContainText('There are no sessions of DeepSeek Harness beside it either.')
  await expect(first.getByRole('button')).toHaveText(['New session', 'Choose another folder…', 'Open the sample tree'])
  await expect(page.getByText('0 sessions')).toBeVisible()
  await expect(sessionTree(page)).toHaveCount(0)
})

test('sessions of DSH beside an empty tree are offered with their count and place, and not taken', async ({
  launch,
  home,
}) => {
  const logs = join(home, 'sessions-plain')
  await writeDshSession(logs, { cwd: home, turns: [{ prompt: 'One' }] })
  await writeDshSession(logs, { cwd: home, turns: [{ prompt: 'Two' }] })
  const { page } = await launch({ home })
  const first = page.getByRole('region', { name: 'First start' })
  await expect(first).toContainText(`It also found 2 sessions of DeepSeek Harness in ${logs}.`)
  await expect(first.getByRole('button', { name: 'Import 2 sessions' })).toBeVisible()
  expect(await readdir(join(home, 'session-tree')).catch(() => [])).toEqual([])
})

test('beside sessions that are there the offer is one line, and "Not now" is remembered', async ({ launch, home }) => {
  await writeMain(home, { cwd: home, turns: [{ prompt: 'Already here' }] })
  await writeDshSession(join(home, 'sessions'), { cwd: home, turns: [{ prompt: 'One' }] })
  const before = await launch({ home })
  const offer = before.page.getByRole('complementary', { name: 'Import' })
  await expect(offer).toContainText('1 session of DeepSeek Harness found in')
  await offer.getByRole('button', { name: 'Not now' }).click()
  await expect(offer).toHaveCount(0)
  await before.close()
  const { page } = await launch({ home })
  await expect(page.getByRole('treeitem', { name: 'Already here' })).toBeVisible()
  await expect
    .poll(() => page.evaluate(() => window.treeline.navigator.import_offer()))
    .toMatchObject({
      value: { found: 1, answered: true },
    })
  await expect(page.getByRole('complementary', { name: 'Import' })).toHaveCount(0)
})
