import { join } from 'node:path'
import { scriptedPreset, startNewSession, writePresets } from './agent-sessions.ts'
import { expect } from './app.ts'
import { test } from './home.ts'
import { readLog } from './on-disk.ts'
import { composer, row, transcript } from './screen.ts'

// What a session may spend: seen, never raised, and what becomes of one that has spent it.

test('a budget is shown with its numbers, a raise is refused and recorded, and one that is used up is not gone on with', async ({
  launch,
  home,
}) => {
  // The agent spends eighteen tokens on this prompt.
  await writePresets(home, [scriptedPreset(), scriptedPreset({ id: 'spender', label: 'Spender', budget: 15 })])
  const { page } = await launch({ home })
  const generous = await startNewSession(page, { folder: home, title: 'Plenty', prompt: 'streams', agent: 'scripted' })
  await generous.budget.fill('much')
  await generous.title.focus()
  await expect(generous.dialog.getByRole('alert')).toHaveText('A whole number of tokens, or nothing.')
  await generous.budget.fill('20,000')
  await generous.create.click()
  await page.getByRole('button', { name: 'Budget, 18 of 20.0k tokens spent' }).click()
  const details = page.getByRole('dialog', { name: 'Budget' })
  await expect(details).toContainText('19,982 tokens')
  await expect(details).toContainText('Only this session spends from it.')
  await details.getByRole('button', { name: 'Change…' }).click()
  await details.getByRole('textbox', { name: 'Another limit, in tokens' }).fill('50,000')
  await details.getByRole('textbox').press('Enter')
  await expect(details.getByRole('alert')).toContainText('cannot be changed to 50,000 tokens')
  await expect(details.getByRole('region', { name: 'Refused raises' })).toContainText('to 50,000 tokens')
  await page.keyboard.press('Escape')
  await expect(transcript(page)).toContainText('A limit of 50,000 tokens instead of 20,000 was asked for and refused')
  await expect(page.getByRole('button', { name: 'Budget, 18 of 20.0k tokens spent' })).toBeVisible()
  const id = await page.evaluate(async () => {
    const answer = await window.treeline.navigator.snapshot()
    return answer.ok ? (answer.value.sessions[0]?.session_id ?? '') : ''
  })
  const { events } = await readLog(join(home, 'session-tree', id, 'session.jsonl'))
  const refused = events.filter(({ type }) => type === 'session-tree/raise-rejected')
  expect(refused.map(({ data }) => data)).toMatchObject([
    { limit: 20_000, asked: 50_000, reason: 'cap_raise_rejected' },
  ])

  const small = await startNewSession(page, { folder: home, title: 'Little', prompt: 'streams', agent: 'spender' })
  await expect(small.budget).toHaveAttribute('placeholder', '15')
  await small.create.click()
  // Only at the end of its turn has the agent said what it took.
  await expect(page.getByRole('button', { name: 'Budget, 18 of 15 tokens spent' })).toBeVisible({ timeout: 20_000 })
  await expect(page.getByText('The budget of 15 tokens is used up. What you send waits and is not run.')).toBeVisible()
  await composer(page).fill('answers once more')
  await composer(page).press('Enter')
  await expect(page.getByText('The budget of 15 tokens is used up. What waits here is not run.')).toBeVisible()
  await expect(transcript(page)).toContainText('Stopped: the budget was used up.')
  await expect(page.locator('.session-state')).toHaveText('Idle, stopped by its budget')
  await expect(row(page, 'Little')).toHaveAccessibleDescription(/^Idle/)
  await expect(transcript(page)).not.toContainText('echo: answers')
})
