import { constants, mkdir, open, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Locator, Page } from '@playwright/test'
import { expect } from './app.ts'
import { row } from './screen.ts'

/** Sessions that run, made and steered as a person does. */

const scriptedAgent = resolve(
  fileURLToPath(new URL('../src/main/agents/testing/scripted-acp-agent.ts', import.meta.url)),
)

/** The dialog for a new session and what is filled in there. */
function newSessionDialog(page: Page) {
  const dialog = page.getByRole('dialog', { name: 'New session' })
  return {
    dialog,
    prompt: dialog.getByRole('textbox', { name: 'What should be done?' }),
    title: dialog.getByRole('textbox', { name: 'Title' }),
    folder: dialog.getByRole('textbox', { name: 'Folder' }),
    agent: dialog.getByRole('combobox', { name: 'Agent' }),
    model: dialog.getByRole('textbox', { name: 'Model' }),
    budget: dialog.getByRole('textbox', { name: 'Budget, in tokens' }),
    create: dialog.getByRole('button', { name: 'Create' }),
    cancel: dialog.getByRole('button', { name: 'Cancel' }),
  }
}

/** Opens the dialog and fills in what every session needs. */
export async function startNewSession(
  page: Page,
  session: { readonly folder: string; readonly title: string; readonly prompt: string; readonly agent: string },
) {
  await page.getByRole('button', { name: 'New session' }).first().click()
  const fields = newSessionDialog(page)
  await fields.prompt.fill(session.prompt)
  await fields.title.fill(session.title)
  await fields.folder.fill(session.folder)
  await fields.agent.selectOption(session.agent)
  return fields
}

/** Makes a main whose agent is the shell: a stand-in for any agent, as it needs no model. */
export async function newShellSession(page: Page, folder: string, title: string, command: string): Promise<void> {
  const { dialog, create } = await startNewSession(page, { folder, title, prompt: command, agent: 'shell' })
  await create.click()
  await expect(dialog).toHaveCount(0)
  await expect(row(page, title)).toHaveAttribute('aria-current', 'true')
}

/** What the open session's agent asks. */
export function permissionCards(page: Page): Locator {
  return page.getByRole('region', { name: 'The agent asks' })
}

/** Puts presets into a home's presets.json. */
export async function writePresets(home: string, presets: readonly object[]): Promise<void> {
  await mkdir(join(home, 'treeline'), { recursive: true, mode: 0o700 })
  await writeFile(join(home, 'treeline', 'presets.json'), JSON.stringify({ presets }, null, 2), { mode: 0o600 })
}

/** A preset for a real process that speaks ACP and plays what its prompt names: `asks`, `streams`, `tools` … */
export function scriptedPreset(more: object = {}): object {
  return {
    id: 'scripted',
    label: 'Scripted',
    kind: 'acp',
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', scriptedAgent],
    ...more,
  }
}

/**
 * Whether a process still waits at a named pipe that it has opened by `<>`, so that looking does not end its waiting. It is
 * asked of the kernel, which knows of processes that nobody else remembers.
 */
export async function hasReader(pipe: string): Promise<boolean> {
  try {
    const end = await open(pipe, constants.O_WRONLY | constants.O_NONBLOCK)
    await end.close()
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENXIO') return false
    throw error
  }
}
