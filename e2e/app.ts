import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { _electron, test as base, type ElectronApplication, type Page } from '@playwright/test'
import { waitingApp } from './electron-runtime.ts'

export { expect } from '@playwright/test'

export interface LaunchOptions {
  /** A DSH home; without one, a new empty folder that `close` removes. */
  readonly home?: string
  /** More arguments for the app: `--sample`, `--home=…`. */
  readonly args?: readonly string[]
  /** Added to the environment; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** What the page is told; null leaves it to the app's theme. Default: light. */
  readonly colorScheme?: 'light' | 'dark' | null
  /** False for a start that shows no tree, or whose way there is watched. Default: true. */
  readonly waitUntilReady?: boolean
}

export interface LaunchedApp {
  readonly app: ElectronApplication
  readonly page: Page
  readonly home: string
  /** What the app has written to its standard output and error since Playwright has it. */
  printed(): string
  /**
   * Ends the app and removes the home if it was made here; calling it again does nothing.
   * @param traceTo where a trace of everything since the start is kept (`playwright show-trace`)
   */
  close(traceTo?: string): Promise<void>
}

/**
 * Playwright's test with `launch`: a launched app is closed after the test, and leaves a trace and what it printed if the test
 * failed. (`use.trace` in the configuration covers Playwright's own browsers only.)
 */
export const test = base.extend<{ launch: (options?: LaunchOptions) => Promise<LaunchedApp> }>({
  // Playwright finds out what a fixture needs by reading this pattern.
  // oxlint-disable-next-line no-empty-pattern
  launch: async ({}, use, info) => {
    const launched: LaunchedApp[] = []
    await use(async (options = {}) => {
      const one = await launchApp(options)
      launched.push(one)
      return one
    })
    const failed = info.status !== info.expectedStatus
    for (const [index, one] of launched.entries()) {
      await one.close(failed ? info.outputPath(`trace-${index + 1}.zip`) : undefined)
    }
    const body = launched.map((one) => one.printed()).join('\n')
    if (failed) await info.attach('what the app printed', { body, contentType: 'text/plain' })
  },
})

/** What decides about the app from outside and must not leak in from whoever runs the tests. */
const isolated = { EDITOR: undefined, VISUAL: undefined, TREELINE_TOKEN: undefined, ELECTRON_RUN_AS_NODE: undefined }

/** The same pixels on every machine. */
const steadyPixels = ['--force-color-profile=srgb', '--font-render-hinting=none', '--hide-scrollbars', '--disable-gpu']

/**
 * A folder for one test, by its real path: what the app reports must be comparable to it.
 * @returns an absolute path; the caller removes it
 */
export async function temporaryFolder(name: string): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), `treeline-${name}-`)))
}

/**
 * Starts the built app. Its window profile lies in `<home>/treeline/profile`, so that several homes run side by side. For
 * tests that end the app themselves; others take `launch` of {@link test}.
 * @returns the app once its window shows the tree; rejects when it does not start, as a second start on the same home does
 */
export async function launchApp(options: LaunchOptions = {}): Promise<LaunchedApp> {
  const waiting = waitingApp()
  const home = options.home ?? (await temporaryFolder('home'))
  const removeHome = async () => {
    if (options.home === undefined) await rm(home, { recursive: true, force: true, maxRetries: 3 })
  }
  const app = await _electron
    .launch({
      executablePath: waiting.executable,
      args: [...waiting.args, ...steadyPixels, ...(options.args ?? [])],
      env: environment({ ...isolated, DSH_HOME: home, ...options.env }),
      colorScheme: options.colorScheme === undefined ? 'light' : options.colorScheme,
      timeout: 30_000,
    })
    .catch(async (error: unknown) => {
      await removeHome()
      throw error
    })
  const close = closeOnce(app, removeHome)
  const printed: string[] = []
  for (const stream of [app.process().stdout, app.process().stderr]) {
    stream?.on('data', (text) => printed.push(String(text)))
  }
  try {
    // Pictures and snapshots of the page would cost more than the tests: a trace has the calls and what they met.
    await app.context().tracing.start({ screenshots: false, snapshots: false })
    const page = await app.firstWindow()
    if (options.waitUntilReady !== false) await page.waitForSelector('html[data-ready="true"]', { state: 'attached' })
    return { app, page, home, printed: () => printed.join(''), close }
  } catch (error) {
    await close()
    throw error
  }
}

function closeOnce(app: ElectronApplication, removeHome: () => Promise<void>): LaunchedApp['close'] {
  let closing: Promise<void> | undefined
  // Playwright forgets it when the app ends.
  const child = app.process()
  const close = async (traceTo: string | undefined) => {
    // A test may have ended or killed it: then there is nothing to close and no trace to keep.
    if (child.exitCode === null && child.signalCode === null) {
      await app
        .context()
        .tracing.stop(traceTo === undefined ? {} : { path: traceTo })
        .catch(() => undefined)
      await app.close()
    }
    await removeHome()
  }
  return (traceTo) => (closing ??= close(traceTo))
}

function environment(changes: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const merged = Object.entries({ ...process.env, ...changes })
  return Object.fromEntries(merged.filter((entry): entry is [string, string] => entry[1] !== undefined))
}
