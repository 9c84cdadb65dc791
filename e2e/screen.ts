import type { Locator, Page } from '@playwright/test'

/** The parts of the window, found as a person or a screen reader finds them: by role and name. */

/** For what is to be seen within a second. A busy machine may take as long again, but no fallback is ever this quick. */
export const WITHIN_A_SECOND = { timeout: 3_000 } as const

/** The sidebar's tree. */
export function sessionTree(page: Page): Locator {
  return page.getByRole('tree', { name: 'Sessions' })
}

/** A session's row, by its whole name. */
export function row(page: Page, name: string): Locator {
  return sessionTree(page).getByRole('treeitem', { name, exact: true })
}

/** The names of the rows that stand in the sidebar, from the top. */
export function rowNames(page: Page): Promise<string[]> {
  return sessionTree(page).locator('.row-title').allTextContents()
}

/** The small control in a row that shows or hides a main's forks. */
export function caret(page: Page, name: string): Locator {
  return row(page, name).locator('.row-caret')
}

export function transcript(page: Page): Locator {
  return page.getByRole('region', { name: 'Transcript' })
}

/** The open session's name in the header; a button, since a click renames. */
export function headerTitle(page: Page): Locator {
  return page.getByRole('heading', { level: 1 }).getByRole('button')
}

/** "N subagents" in the header. */
export function subagentsControl(page: Page): Locator {
  return page.getByRole('button', { name: /^\d+ subagents?$/ })
}

export function subagentTree(page: Page): Locator {
  return page.getByRole('tree', { name: 'Subagents' })
}

export function composer(page: Page): Locator {
  return page.getByRole('textbox', { name: 'Message this session' })
}

/** The fork dialog and what a person fills in there. */
export function forkDialog(page: Page) {
  const dialog = page.getByRole('dialog')
  return {
    dialog,
    prompt: dialog.getByRole('textbox', { name: 'What should the fork do?' }),
    title: dialog.getByRole('textbox', { name: 'Title' }),
    sameFolder: dialog.getByRole('radio', { name: 'The same folder' }),
    newWorktree: dialog.getByRole('radio', { name: 'A new worktree' }),
    fork: dialog.getByRole('button', { name: 'Fork' }),
    cancel: dialog.getByRole('button', { name: 'Cancel' }),
    failure: dialog.getByRole('alert'),
    progress: dialog.getByRole('status'),
  }
}

/** Opens the fork dialog for the open session and types a prompt; resolves once it is there. */
export async function startFork(page: Page, prompt: string, place: 'same folder' | 'new worktree' = 'same folder') {
  await page.getByRole('button', { name: 'Fork', exact: true }).click()
  const fork = forkDialog(page)
  await fork.prompt.fill(prompt)
  await (place === 'same folder' ? fork.sameFolder : fork.newWorktree).check({ force: true })
  return fork
}
