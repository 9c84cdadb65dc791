import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Page } from '@playwright/test'
import { newShellSession } from './agent-sessions.ts'
import { expect } from './app.ts'
import { test as base } from './home.ts'
import { treeline } from './on-disk.ts'
import { composer, headerTitle, row, transcript } from './screen.ts'

// A home that `treeline serve` owns: the window works through it, says so, and takes over when it ends.

const PROGRAM = resolve(fileURLToPath(new URL('..', import.meta.url)), 'out', 'cli', 'treeline.js')

const test = base.extend<{ serve: () => Promise<ChildProcess> }>({
  serve: async ({ home }, use) => {
    const started: ChildProcess[] = []
    await use(async () => {
      const child = spawn(process.execPath, [PROGRAM, 'serve', '--home', home], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      started.push(child)
      const [line] = await once(createInterface({ input: child.stdout }), 'line')
      expect(JSON.parse(String(line))).toMatchObject({ ready: true, home, pid: child.pid })
      return child
    })
    await Promise.all(started.map((child) => end(child, 'SIGKILL')))
  },
})

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill(signal)
  await gone
}

const ownerNotice = (page: Page) => page.getByRole('status').filter({ hasText: 'Agents run in' })

test('a session made in the window runs in the process that serves, and in the window once that has ended', async ({
  launch,
  home,
  serve,
}) => {
  const service = await serve()
  const { app, page } = await launch({ home })
  await expect(ownerNotice(page)).toContainText(`Agents run in treeline serve (process ${service.pid}).`)

  // The shell's parent is the process that runs it.
  await newShellSession(page, home, 'Served', 'echo $PPID > first; echo begun; sleep 600')
  await expect(transcript(page)).toContainText('begun')
  await expect(row(page, 'Served')).toHaveAccessibleDescription(/^Running/)
  expect(Number(await readFile(join(home, 'first'), 'utf8'))).toBe(service.pid)
  await page.getByRole('button', { name: 'Stop' }).click()
  await expect(transcript(page)).toContainText('You stopped this turn.')
  await expect(row(page, 'Served')).toHaveAccessibleDescription(/^Idle/)

  await composer(page).fill('echo begun anew; sleep 600')
  await composer(page).press('Enter')
  await expect(row(page, 'Served')).toHaveAccessibleDescription(/^Running/)
  await end(service, 'SIGTERM')
  await expect(ownerNotice(page)).toHaveCount(0)
  await expect(row(page, 'Served')).not.toHaveAccessibleDescription(/^(Running|Idle)/)

  await composer(page).fill('echo $PPID > second')
  await composer(page).press('Enter')
  await expect(row(page, 'Served')).toHaveAccessibleDescription(/^Idle/)
  expect(Number(await readFile(join(home, 'second'), 'utf8'))).toBe(app.process().pid)
  expect(JSON.parse((await treeline(home, 'check')).stdout)).toMatchObject({ summary: { sessions: 1, faults: 0 } })
})

test('closing the window stops nobody: the next one finds the work going on, and works on in it', async ({
  launch,
  home,
  serve,
}) => {
  await serve()
  const first = await launch({ home })
  await newShellSession(first.page, home, 'Stays', 'echo begun; sleep 600')
  await expect(transcript(first.page)).toContainText('begun')
  await first.close()
  const { page } = await launch({ home })
  await expect(row(page, 'Stays')).toHaveAccessibleDescription(/^Running/)
  await headerTitle(page).click()
  await page.getByRole('textbox', { name: 'New title' }).fill('Stays on')
  await page.keyboard.press('Enter')
  await expect(row(page, 'Stays on')).toHaveAccessibleDescription(/^Running/)
})
