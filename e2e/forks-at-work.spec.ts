import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { hasReader, newShellSession } from './agent-sessions.ts'
import { expect } from './app.ts'
import { git, makeRepository } from './fixtures.ts'
import { test } from './home.ts'
import { headerTitle, row, startFork, transcript } from './screen.ts'

// Forks that work, each in a worktree of its own: what one writes is nowhere else, and stopping one is no matter of the other.

test('two forks at work at once in two worktrees: what they write is only there, and each is stopped alone', async ({
  launch,
  home,
}) => {
  const repository = join(home, 'orchard')
  await makeRepository(repository)
  const { page } = await launch({ home })
  await newShellSession(page, repository, 'Main', 'echo ready')
  await expect(row(page, 'Main')).toHaveAccessibleDescription(/^Idle/, { timeout: 20_000 })

  const left = await forkAtWork(page, 'Left')
  const right = await forkAtWork(page, 'Right')
  expect(left).not.toBe(right)
  // Both wait at a gate that nobody opens, so both are at work at this moment.
  await expect(row(page, 'Left')).toHaveAccessibleDescription(/^Running/)
  await expect(row(page, 'Right')).toHaveAccessibleDescription(/^Running/)
  expect([await hasReader(join(left, 'gate')), await hasReader(join(right, 'gate'))]).toEqual([true, true])

  expect(await readFile(join(left, 'made.txt'), 'utf8')).toBe('by Left\n')
  expect(await readFile(join(right, 'made.txt'), 'utf8')).toBe('by Right\n')
  expect(existsSync(join(repository, 'made.txt'))).toBe(false)
  expect(await git(repository, 'status', '--porcelain')).toBe('')
  expect((await git(repository, 'worktree', 'list', '--porcelain')).match(/^worktree /gm)).toHaveLength(3)

  await page.getByRole('button', { name: 'Stop' }).click()
  await expect(transcript(page)).toContainText('You stopped this turn.')
  await expect(row(page, 'Right')).toHaveAccessibleDescription(/^Idle/)
  await expect(row(page, 'Left')).toHaveAccessibleDescription(/^Running/)
  expect([await hasReader(join(left, 'gate')), await hasReader(join(right, 'gate'))]).toEqual([true, false])
  await row(page, 'Left').click()
  await expect(headerTitle(page)).toHaveText('Left')
  await page.getByRole('button', { name: 'Stop' }).click()
  await expect(row(page, 'Left')).toHaveAccessibleDescription(/^Idle/)
  expect(await hasReader(join(left, 'gate'))).toBe(false)
  // What they have made stays.
  expect(await readFile(join(left, 'made.txt'), 'utf8')).toBe('by Left\n')
})

/** Forks the main into a worktree, where the fork writes a file and waits at a gate. Resolves with the folder once it waits. */
async function forkAtWork(page: Page, title: string): Promise<string> {
  await row(page, 'Main').click()
  await expect(headerTitle(page)).toHaveText('Main')
  const command = `echo "by ${title}" > made.txt; mkfifo gate; echo "at the gate of $PWD:"; cat <>gate; echo never`
  const fork = await startFork(page, command, 'new worktree')
  await fork.title.fill(title)
  await fork.fork.click()
  await expect(headerTitle(page)).toHaveText(title)
  await expect(transcript(page)).toContainText(/at the gate of \/.*:/, { timeout: 20_000 })
  const said = await transcript(page).innerText()
  return /at the gate of (\/[^:]*):/.exec(said)?.[1] ?? ''
}
