import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { ACCEPTANCE } from '../src/main/tools/testing/acceptance-lines.ts'
import { expect, type LaunchedApp } from './app.ts'
import { test } from './home.ts'
import { row, rowNames, subagentsControl, subagentTree, transcript } from './screen.ts'

// The lines of spec §7 that only the window can show, with agents at work; the others are in src/main/tools/acceptance.test.ts.

/** As an agent or a person would, by the tool itself; the shell works on it. */
async function create(page: Page, request: object, as?: string): Promise<string> {
  const made = await page.evaluate(([asked, caller]) => window.treeline.session_create(asked, caller), [
    request,
    as === undefined ? {} : { as },
  ] as const)
  if (!made.ok) throw new Error(made.error.message)
  return made.value.session_id
}

/** A main with a fork, two subagents, one of them with a subagent of its own, and one of the fork's; each has run. */
async function family({ page, home }: LaunchedApp): Promise<void> {
  const at = { cwd: home }
  const main = await create(page, { ...at, prompt: 'echo main', title: 'Main', preset: 'shell' })
  const fork = await create(page, { ...at, prompt: 'echo fork', title: 'Fork', fork: true }, main)
  const helper = await create(page, { ...at, prompt: 'echo helper', title: 'Helper' }, main)
  await create(page, { ...at, prompt: 'echo second', title: 'Second helper' }, main)
  await create(page, { ...at, prompt: 'echo nested', title: 'Nested helper' }, helper)
  await create(page, { ...at, prompt: 'echo of the fork', title: 'Helper of the fork' }, fork)
}

test(ACCEPTANCE.sidebar, async ({ launch, home }) => {
  const app = await launch({ home })
  await family(app)
  await expect.poll(() => rowNames(app.page)).toEqual(['Main', 'Fork'])
  await expect(row(app.page, 'Main')).toHaveAttribute('aria-level', '1')
  await expect(row(app.page, 'Fork')).toHaveAttribute('aria-level', '2')
})

test(ACCEPTANCE.header, async ({ launch, home }) => {
  const app = await launch({ home })
  const { page } = app
  await family(app)
  await row(page, 'Main').click()
  await expect(subagentsControl(page)).toHaveText('3 subagents')
  await subagentsControl(page).click()
  await expect(subagentTree(page).getByRole('treeitem')).toHaveCount(3)
  await page.keyboard.press('Escape')
  await row(page, 'Fork').click()
  await expect(subagentsControl(page)).toHaveText('1 subagent')
})

test(ACCEPTANCE.recursive, async ({ launch, home }) => {
  const { page } = await launch({ home })
  // Each level makes the next by the tool, in its own shell, and the last one leaves a file.
  const last = `echo reached > '${join(home, 'reached')}'`
  const third = `treeline session create --title Third --prompt "${last.replaceAll('"', '\\"')}"`
  await create(page, {
    cwd: home,
    preset: 'shell',
    title: 'Main',
    prompt: [
      "cat > second.sh <<'END'",
      third,
      'END',
      `treeline session create --title Second --prompt "$(cat second.sh)"`,
    ].join('\n'),
  })
  await expect
    .poll(() => readFile(join(home, 'reached'), 'utf8').catch(() => ''), { timeout: 30_000 })
    .toBe('reached\n')
  await row(page, 'Main').click()
  await expect(subagentsControl(page)).toHaveText('2 subagents')
  await subagentsControl(page).click()
  const deepest = subagentTree(page).getByRole('treeitem', { name: 'Third', exact: true })
  await expect(deepest).toHaveAttribute('aria-level', '2')
  await deepest.click()
  await expect(transcript(page)).toContainText('echo reached')
  expect(await rowNames(page)).toEqual(['Main'])
})
