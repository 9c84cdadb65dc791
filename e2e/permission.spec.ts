import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { permissionCards, scriptedPreset, startNewSession, writePresets } from './agent-sessions.ts'
import { expect } from './app.ts'
import { test } from './home.ts'
import { composer, row, transcript } from './screen.ts'

// An agent that speaks ACP, as a process of its own: a model is asked for, it asks back, and a person answers.

test('an agent asks, the row says that it needs a person, and the answer goes on with the turn', async ({
  launch,
  home,
}) => {
  await writePresets(home, [scriptedPreset()])
  const { page } = await launch({ home })
  const fields = await startNewSession(page, { folder: home, title: 'Asking', prompt: 'asks', agent: 'scripted' })
  // Only agents that are told of a model are asked for one, and one that cannot be meant is said where it was typed.
  await fields.model.fill('large')
  await fields.budget.focus()
  await expect(fields.dialog.getByRole('alert')).toContainText('Provider, slash, model')
  await expect(fields.create).toBeDisabled()
  await fields.agent.selectOption('shell')
  await expect(fields.model).toHaveCount(0)
  await fields.agent.selectOption('scripted')
  await fields.model.fill('maker/large')
  await fields.create.click()

  const cards = permissionCards(page)
  await expect(cards.getByRole('group', { name: 'rm' })).toContainText('rm x', { timeout: 20_000 })
  // The agent's own choices; the one that binds least stands last.
  await expect(cards.getByRole('button')).toHaveText(['No', 'Never', 'Yes'])
  await expect(row(page, 'Asking')).toHaveAccessibleDescription(/^Needs you/)
  await expect(row(page, 'Asking').locator('.mark-needs')).toBeVisible()
  await cards.getByRole('button', { name: 'Yes' }).click()
  await expect(transcript(page)).toContainText('You said allow-it.')
  await expect(cards).toHaveCount(0)
  await expect(transcript(page)).toContainText('Asked for approval of “rm”: allowed.')
  await expect(row(page, 'Asking')).toHaveAccessibleDescription(/^Idle/)

  // A question does not outlive its turn.
  await composer(page).fill('asks again')
  await composer(page).press('Enter')
  await expect(cards.getByRole('button', { name: 'No' })).toBeVisible()
  await page.getByRole('button', { name: 'Stop' }).click()
  await expect(cards).toHaveCount(0)
  await expect(transcript(page)).toContainText('You stopped this turn.')
  await expect(row(page, 'Asking')).toHaveAccessibleDescription(/^Idle/)

  const received = (await readFile(join(home, 'received.jsonl'), 'utf8')).trim().split('\n')
  const chosen = received.map((line) => JSON.parse(line)).find(({ method }) => method === 'session/set_config_option')
  expect(chosen.params).toMatchObject({ configId: 'llm', value: 'maker/large' })
})
