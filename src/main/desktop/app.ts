import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { app, Menu, nativeTheme, protocol, session, shell, type BrowserWindow } from 'electron'
import type { HomePaths } from '../session-tree/home-paths.ts'
import { readSettings } from '../settings/settings-file.ts'
import { applicationMenu } from './application-menu.ts'
import { serveBundle } from './bundle-files.ts'
import { argumentsWithoutFlags, type Flags } from './flags.ts'
import { registerCalls, type CallHandlers } from './ipc.ts'
import type { Live } from './live.ts'
import { ownLog, type Report } from './own-log.ts'
import { secure } from './security.ts'
import { systemAround } from './system.ts'
import { windowStateFile } from './window-state.ts'
import { bringToFront, openWindow } from './window.ts'

/** Creations are undone and processes of git ended within this; after a kill the next owner does it (design §2.6). */
const STOP_WITHIN_MS = 15_000

/**
 * Builds the app around one window and stops it again. Called once Electron is ready. The window comes first and loads
 * its page; what it shows is got ready meanwhile, and what is not needed for the first paint after that.
 * @param mark notes a phase of the start
 * @param reportFaultsTo of `endOnFault`
 */
export async function startApp(
  paths: HomePaths,
  flags: Flags,
  mark: (phase: string) => void,
  reportFaultsTo: (report: Report) => void,
): Promise<void> {
  const report = ownLog(paths.ownLog)
  reportFaultsTo(report)
  const state = windowStateFile(paths.windowState, report)
  const root = app.getAppPath()
  const [saved, { settings, problem: settingsProblem }] = await Promise.all([
    state.read(),
    readSettings(paths.settings),
  ])
  nativeTheme.themeSource = settings.theme
  secure(session.defaultSession, report)
  protocol.handle('app', (request) => serveBundle(request, join(root, 'out', 'renderer')))

  const handlers = Promise.withResolvers<CallHandlers>()
  // A start that fails is reported by its own promise.
  handlers.promise.catch(() => undefined)
  const stopCalls = registerCalls(handlers.promise, report)
  // A person's start needs neither.
  const pictures = flags.capture !== undefined || flags.startPhases ? await import('./capture.ts') : undefined
  const { window, keepPlace } = openWindow(saved, {
    preload: join(root, 'out', 'preload', 'index.cjs'),
    state,
    ...(flags.capture === undefined || !pictures ? {} : { contentSize: pictures.CAPTURE_SIZE }),
  })
  mark('window')
  const painted = new Promise<void>((resolve) => {
    window.once('ready-to-show', resolve)
    window.once('closed', resolve)
  })
  void painted.then(() => mark('painted'))
  app.on('second-instance', () => bringToFront(window))

  const { startLive } = await import('./live.ts')
  const live = startLive({
    paths,
    system: systemAround(window),
    state,
    sample: { resources: join(root, 'resources', 'sample'), open: openAnotherHome },
    report,
    settingsProblem,
    workerUrl: pathToFileURL(join(root, 'out', 'main', 'indexer-worker.js')),
    sweepThread: pathToFileURL(join(root, 'out', 'main', 'sweep-worker.js')),
    painted,
  })
  handlers.resolve(live.handlers)
  mark('looking')
  live.lookedAtAll.then(
    () => mark('rows'),
    // It has been reported; the window says what it shows.
    () => undefined,
  )
  followWindow(window, live, report)
  Menu.setApplicationMenu(
    Menu.buildFromTemplate(
      applicationMenu(
        {
          openOwnLog: () => void openOwnLog(paths, report),
          revealHome: () => shell.showItemInFolder(paths.tree),
        },
        process.platform,
      ),
    ),
  )
  quitWhole(async () => {
    keepPlace()
    await live.stop()
    await state.written()
    stopCalls()
  })
  if (flags.startPhases) await pictures?.whenUsable(window).then(() => mark('usable'))
  if (flags.capture !== undefined && pictures) {
    const captured = await pictures.capture(window, flags.capture)
    if (!captured.ok) process.stderr.write(`${captured.error.message}\n`)
    quitCode = captured.ok ? 0 : 1
    app.quit()
  }
}

/** What the process ends with once everything has stopped. */
let quitCode = 0

/** Holds the end of the process back until everything has stopped whole, however the quit was asked for. */
function quitWhole(stop: () => Promise<void>): void {
  let stopping: Promise<void> | undefined
  app.on('window-all-closed', () => app.quit())
  app.on('before-quit', (event) => {
    event.preventDefault()
    const late = new Promise((resolve) => {
      setTimeout(resolve, STOP_WITHIN_MS)
    })
    stopping ??= Promise.race([stop(), late])
      .catch(() => {
        quitCode = 1
      })
      .then(() => app.exit(quitCode))
  })
}

function followWindow(window: BrowserWindow, live: Live, report: (sentence: string) => void): void {
  const seen = (): void => live.setActive(window.isVisible() && !window.isMinimized())
  window.on('show', seen)
  window.on('hide', seen)
  window.on('minimize', seen)
  window.on('restore', seen)
  window.on('focus', () => live.lookAgain())
  window.webContents.on('render-process-gone', (_event, { reason, exitCode }) => {
    report(`The window's process ended (${reason}, ${exitCode}).`)
    if (reason !== 'clean-exit' && !window.isDestroyed()) window.webContents.reload()
  })
}

/** Another home has a process of its own: its lock, its profile and its window are its own, too. */
function openAnotherHome(home: string): void {
  const values = [...argumentsWithoutFlags(process.argv.slice(1)), '--home', home]
  spawn(process.execPath, values, { detached: true, stdio: 'ignore' }).unref()
}

async function openOwnLog(paths: HomePaths, report: (sentence: string) => void): Promise<void> {
  report('The log was opened from the Help menu.')
  const { openInEditor } = await import('./editors.ts')
  const { settings } = await readSettings(paths.settings)
  await openInEditor(paths.ownLog, settings.editor, process.env)
}
