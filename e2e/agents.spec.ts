import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { hasReader, newShellSession } from './agent-sessions.ts'
import { expect } from './app.ts'
import { test } from './home.ts'
import { queuedPrompts, readLog } from './on-disk.ts'
import { composer, row, subagentsControl, subagentTree, transcript } from './screen.ts'

// Sessions that run, in the real app: the shell stands for any agent, as it needs no model.

test('a shell main makes a subagent that makes a subagent, and each is seen to end', async ({ launch, home }) => {
  const { page } = await launch({ home })
  const inner = 'treeline session create --prompt "echo from the bottom"'
  await newShellSession(page, home, 'Top', `treeline session create --prompt '${inner}'`)
  await expect(subagentsControl(page)).toHaveText('2 subagents', { timeout: 30_000 })
  await expect(row(page, 'Top')).toHaveAccessibleDescription(/^Idle/, { timeout: 30_000 })
  await subagentsControl(page).click()
  const bottom = subagentTree(page).getByRole('treeitem', { name: 'echo from the bottom', exact: true })
  await expect(bottom).toHaveAttribute('aria-level', '2')
  await expect(bottom).toContainText('done')
  await bottom.click()
  await expect(transcript(page)).toContainText('from the bottom')
})

test('a running turn is stopped, and a message that waited is taken back before', async ({ launch, home }) => {
  const { page } = await launch({ home })
  await newShellSession(page, home, 'Long', 'echo begun; sleep 60; echo never')
  await expect(transcript(page)).toContainText('begun')
  // All of it is in view, the prompt too.
  await expect(page.locator('.sticky-prompt')).toHaveCount(0)
  await expect(row(page, 'Long')).toHaveAccessibleDescription(/^Running/)
  await composer(page).fill('touch taken')
  await composer(page).press('Enter')
  await page.getByRole('button', { name: '1 message waiting' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
  await expect(page.getByRole('button', { name: /waiting$/ })).toHaveCount(0)
  await page.getByRole('button', { name: 'Stop' }).click()
  await expect(transcript(page)).toContainText('You stopped this turn.')
  await expect(row(page, 'Long')).toHaveAccessibleDescription(/^Idle/)
  await expect(transcript(page)).not.toContainText('touch taken')
  await expect(readFile(join(home, 'taken'))).rejects.toThrow(/ENOENT/)
})

test('a killed app leaves nothing behind: no turn open, no process, no message lost, nothing run again by itself', async ({
  launch,
  home,
}) => {
  test.slow()
  const first = await launch({ home })
  const helper = 'echo helped >> helps; cat <>gate; echo never >> helps'
  const command = `echo once >> runs; [ -p gate ] && exit; mkfifo gate; treeline session create --title Helper --prompt "${helper}"; cat <>gate`
  await newShellSession(first.page, home, 'Killed', command)
  await expect.poll(() => textOf(home, 'runs')).toBe('once\n')
  await expect.poll(() => textOf(home, 'helps')).toBe('helped\n')
  await expect(row(first.page, 'Killed')).toHaveAccessibleDescription(/^Running/)
  await composer(first.page).fill('touch taken')
  await composer(first.page).press('Enter')
  await expect(waitingButton(first.page)).toHaveAccessibleName('1 message waiting')
  const child = first.app.process()
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone

  const { page } = await launch({ home })
  await expect(transcript(page)).toContainText('This turn was interrupted', { timeout: 20_000 })
  // Both commands sat at the gate, and outlived the app.
  expect(await hasReader(join(home, 'gate'))).toBe(false)
  await expect(row(page, 'Killed')).not.toHaveAccessibleDescription(/Running/)
  await subagentsControl(page).click()
  await expect(subagentTree(page).getByRole('treeitem', { name: 'Helper' })).toContainText('interrupted')
  await page.keyboard.press('Escape')
  await waitingButton(page).click()
  await expect(page.getByRole('dialog')).toContainText('touch taken')
  await page.keyboard.press('Escape')
  expect(await textOf(home, 'runs')).toBe('once\n')
  expect(await textOf(home, 'helps')).toBe('helped\n')
  expect(await textOf(home, 'taken')).toBeUndefined()

  await page.getByRole('button', { name: 'Send again' }).click()
  await expect.poll(() => textOf(home, 'runs'), { timeout: 20_000 }).toBe('once\nonce\n')
  await expect.poll(() => textOf(home, 'taken')).toBe('')
  await expect(page.getByRole('button', { name: 'Send again' })).toHaveCount(0)
  await expect(waitingButton(page)).toHaveCount(0)
})

test('an agent sends to its child; to its child’s child it may not, and both logs say so', async ({ launch, home }) => {
  const { page } = await launch({ home })
  await newShellSession(
    page,
    home,
    'Top',
    'treeline session create --title Child --prompt \'treeline session create --title Grandchild --prompt "echo leaf"\'',
  )
  await expect(subagentsControl(page)).toHaveText('2 subagents', { timeout: 30_000 })
  await expect(row(page, 'Top')).toHaveAccessibleDescription(/^Idle/, { timeout: 30_000 })
  const top = join(home, 'session-tree', await onlyFolder(join(home, 'session-tree')))
  const child = await onlyFolder(join(top, 'subagents'))
  const grandchild = await onlyFolder(join(top, 'subagents', child, 'subagents'))
  await composer(page).fill(`${send(child, 'echo he*ard')}; ${send(grandchild, 'echo ne*ver')}`)
  await composer(page).press('Enter')
  await expect(transcript(page)).toContainText(/not_direct_child/, { timeout: 20_000 })
  const parentLog = await readLog(join(top, 'session.jsonl'))
  expect(JSON.stringify(parentLog.events.filter(({ type }) => type === 'tool/result').at(-1))).toMatch(
    /accepted.*not_direct_child/,
  )
  const childLog = join(top, 'subagents', child, 'session.jsonl')
  await expect.poll(async () => queuedPrompts(await readLog(childLog)).at(-1)).toBe('echo he*ard')
  const grandchildLog = await readLog(join(top, 'subagents', child, 'subagents', grandchild, 'session.jsonl'))
  expect(queuedPrompts(grandchildLog)).toEqual(['echo leaf'])
  await subagentsControl(page).click()
  await subagentTree(page).getByRole('treeitem', { name: 'Child', exact: true }).click()
  await expect(transcript(page)).toContainText('echo he*ard')
})

function send(id: string, message: string): string {
  return `treeline session send --session ${id} --message "${message}"`
}

function waitingButton(page: Page): Locator {
  return page.getByRole('button', { name: /waiting$/ })
}

/** A file's text; undefined where there is none. */
function textOf(folder: string, name: string): Promise<string | undefined> {
  return readFile(join(folder, name), 'utf8').catch(() => undefined)
}

async function onlyFolder(folder: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true })
  const [name, ...others] = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  if (name === undefined || others.length > 0) throw new Error(`${folder} has not one folder in it.`)
  return name
}
