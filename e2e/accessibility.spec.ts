import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { newShellSession, permissionCards, scriptedPreset, startNewSession, writePresets } from './agent-sessions.ts'
import { expect } from './app.ts'
import { writeDshSession } from './dsh-fixtures.ts'
import { appendRaw, git, makeRepository, writeFork, writeMain, writeSubagent } from './fixtures.ts'
import { test } from './home.ts'
import { composer, headerTitle, row, startFork, subagentsControl, subagentTree, transcript } from './screen.ts'

// axe finds nothing, in light and in dark, in every state a person stays in.

test('the window with sessions of every kind, its dialogs and its lists', async ({ launch, home }) => {
  test.slow()
  const repository = join(home, 'orchard')
  const base = await makeRepository(repository)
  const path = join(home, 'worktrees', 'night')
  await git(repository, 'worktree', 'add', '--quiet', '-b', 'treeline/night', path)
  const main = await writeMain(home, {
    cwd: repository,
    title: 'Harvest',
    turns: [
      {
        prompt: 'Pick the apples',
        steps: [
          {
            reasoning: 'Where are they?',
            text: '# Plan\n\n- `apples.ts`\n- [a link](https://example.com)\n\n```ts\nconst a = 1 // first\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |',
            tools: [
              { name: 'bash', arguments: { command: 'ls' }, result: 'README.md' },
              { name: 'read', arguments: { path: 'x' }, result: 'no such file', isError: true },
            ],
          },
        ],
      },
      { prompt: 'And the pears', end: 'error' },
    ],
  })
  await appendRaw(main, '{"type":"turn/st\n')
  const helper = await writeSubagent(main, { title: 'Finder', turns: [{ prompt: 'Find' }] })
  await writeSubagent(helper, { title: 'Reader', turns: [{ prompt: 'Read', end: 'error' }] })
  const sound = await writeMain(home, { cwd: repository, title: 'Sound', turns: [{ prompt: 'Go' }] })
  const worktree = { path, branch: 'treeline/night', base, repository }
  await writeFork(sound, { title: 'By night', turns: [{ prompt: 'Dark' }], waitingPrompt: 'More', worktree })
  await writeMain(home, { cwd: join(home, 'gone'), title: 'Its folder is gone', turns: [{ prompt: 'Go' }] })
  await writeDshSession(join(home, 'sessions'), { cwd: home, turns: [{ prompt: 'One more' }] })

  const { page } = await launch({ home })
  await row(page, 'Harvest').click()
  await expect(transcript(page)).toContainText('And the pears')
  await transcript(page).getByRole('button', { expanded: false }).first().click()
  await inBothSchemes(page, 'an open main')
  await subagentsControl(page).click()
  await expect(subagentTree(page)).toBeVisible()
  await inBothSchemes(page, 'the subagents')
  await page.keyboard.press('Escape')
  await row(page, 'By night').click()
  await expect(headerTitle(page)).toHaveText('By night')
  await expect(transcript(page)).toContainText('Waiting in the inbox')
  await inBothSchemes(page, 'a fork in a worktree')
  await row(page, 'Sound').click()
  await expect(headerTitle(page)).toHaveText('Sound')
  const fork = await startFork(page, 'Prune', 'new worktree')
  await expect(fork.dialog).toContainText('treeline/prune')
  await inBothSchemes(page, 'the fork dialog')
  await fork.cancel.click()
  await row(page, 'Its folder is gone').click()
  await expect(headerTitle(page)).toHaveText('Its folder is gone')
  const refused = await startFork(page, 'Prune')
  await refused.fork.click()
  await expect(refused.failure).toBeVisible()
  await inBothSchemes(page, 'a refusal')
  await refused.cancel.click()
  await page.getByRole('button', { name: 'Settings' }).click()
  await expect(page.getByRole('dialog', { name: 'Settings' })).toBeVisible()
  await inBothSchemes(page, 'the settings')
})

test('sessions that run, ask, wait and end, and the dialog that makes them', async ({ launch, home }) => {
  test.slow()
  await writePresets(home, [scriptedPreset(), { id: 'unsound', label: 'Unsound', kind: 'acp' }])
  const { page } = await launch({ home })
  const inner = 'treeline session create --title Asks --preset scripted --prompt asks'
  await newShellSession(
    page,
    home,
    'At work',
    `${inner}; treeline session create --prompt "exit 3"; cat <>$(mkfifo gate && echo gate)`,
  )
  await expect(subagentsControl(page)).toHaveText('2 subagents', { timeout: 30_000 })
  await composer(page).fill('echo next')
  await composer(page).press('Enter')
  await page.getByRole('button', { name: '1 message waiting' }).click()
  await expect(page.getByRole('dialog')).toContainText('echo next')
  await inBothSchemes(page, 'a running session and its inbox')
  await page.keyboard.press('Escape')
  await subagentsControl(page).click()
  await expect(subagentTree(page).getByRole('treeitem', { name: 'Asks' })).toContainText('Needs you')
  await expect(subagentTree(page)).toContainText('done')
  await inBothSchemes(page, 'subagents that have ended and one that asks')
  await subagentTree(page).getByRole('treeitem', { name: 'Asks' }).click()
  await expect(permissionCards(page).getByRole('button', { name: 'Yes' })).toBeVisible()
  await inBothSchemes(page, 'a question')

  const fields = await startNewSession(page, { folder: home, title: 'Spends', prompt: 'streams', agent: 'scripted' })
  await fields.model.fill('large')
  await fields.budget.fill('much')
  await fields.title.focus()
  await expect(fields.dialog.getByRole('alert')).toHaveCount(2)
  await inBothSchemes(page, 'the dialog for a new session with faults')
  await fields.model.fill('')
  await fields.budget.fill('18')
  await fields.folder.fill(join(home, 'nowhere'))
  await fields.create.click()
  await expect(fields.dialog.getByRole('alert')).toContainText('does not exist')
  await inBothSchemes(page, 'a new session that was refused')
  await fields.folder.fill(home)
  await fields.create.click()
  await expect(page.getByText('The budget of 18 tokens is used up.')).toBeVisible({ timeout: 20_000 })
  await page.getByRole('button', { name: /^Budget/ }).click()
  await page.getByRole('button', { name: 'Change…' }).click()
  await page.getByRole('textbox', { name: 'Another limit, in tokens' }).fill('50')
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await expect(page.getByRole('region', { name: 'Refused raises' })).toBeVisible()
  await inBothSchemes(page, 'a budget that is used up, and a raise that was refused')
})

test('the first start, with and without something to import', async ({ launch, home }) => {
  test.slow()
  const empty = await launch()
  await expect(empty.page.getByRole('heading', { name: 'No sessions here yet' })).toBeVisible()
  await inBothSchemes(empty.page, 'an empty home')
  await empty.close()
  await writeDshSession(join(home, 'sessions'), { cwd: home, turns: [{ prompt: 'One' }] })
  const { page } = await launch({ home })
  await expect(page.getByRole('button', { name: 'Import 1 session' })).toBeVisible()
  await inBothSchemes(page, 'an offer')
})

/** Runs axe in light and in dark. It cannot open a second page here, so in its legacy mode (stack-facts §4). */
async function inBothSchemes(page: Page, state: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    // Colours change over time, and axe would measure them on their way.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished)))
    const axe = new AxeBuilder({ page }).setLegacyMode(true)
    // Of all that axe looks at only the colours are others in the dark.
    const { violations, passes } = await (colorScheme === 'light' ? axe : axe.withRules('color-contrast')).analyze()
    const found = violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.target.join(' ')} ${node.failureSummary}`),
    )
    expect(found, `${state}, ${colorScheme}`).toEqual([])
    // It did look.
    expect(passes.map(({ id }) => id)).toContain('color-contrast')
  }
}
