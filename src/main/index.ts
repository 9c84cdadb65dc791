import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { app, Menu, protocol } from 'electron'
import { parseFlags, type Flags } from './desktop/flags.ts'
import { startApp } from './desktop/app.ts'
import { endOnFault } from './desktop/faults.ts'
import type { Result } from '../shared/result.ts'
import { homePaths, resolveHome, type HomePaths } from './session-tree/home-paths.ts'

// What must happen before Electron is ready. `whenReady` is not awaited here: it comes only after this module is done
// (engineering §0.7).

const reportFaultsTo = endOnFault()

const phases: string[] = []
const mark = (phase: string): void => {
  phases.push(`${phase} ${Math.round(performance.now())}`)
}
mark('main')

/** The home to open. The sample is made first: everything after this depends on where it is. */
async function homeFor(flags: Flags): Promise<Result<string>> {
  if (!flags.sample) return { ok: true, value: resolveHome(flags.home, process.env) }
  const { makeSample } = await import('./exchange/sample.ts')
  const made = await makeSample(resolve(app.getAppPath(), 'resources', 'sample'))
  return made.ok ? { ok: true, value: made.value.home } : made
}

function endWith(code: number, sentence: string): void {
  process.stderr.write(`${sentence}\n`)
  app.exit(code)
}

async function begin(flags: Flags): Promise<void> {
  const home = await homeFor(flags)
  if (!home.ok) return endWith(1, home.error.message)
  const paths = homePaths(home.value)
  try {
    // Electron wants the folder to be there; everything of ours is private (design §3).
    await mkdir(paths.profile, { recursive: true, mode: 0o700 })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return endWith(
      1,
      `Treeline cannot keep its files in ${paths.own} (${reason}). Choose another home with --home DIR.`,
    )
  }
  app.setPath('userData', paths.profile)
  if (!app.requestSingleInstanceLock()) {
    if (flags.capture === undefined) return app.exit(0)
    return endWith(
      1,
      `A window is open on ${paths.home} already, so no picture was made. Close it, or use another home.`,
    )
  }
  void whenReady(paths, flags)
}

async function whenReady(paths: HomePaths, flags: Flags): Promise<void> {
  try {
    await app.whenReady()
    mark('ready')
    const note = (phase: string): void => {
      mark(phase)
      if (flags.startPhases && phase === 'usable') process.stdout.write(`${phases.join(', ')}\n`)
    }
    await startApp(paths, flags, note, reportFaultsTo)
  } catch (error) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
    endWith(1, `Treeline could not start: ${reason}`)
  }
}

protocol.registerSchemesAsPrivileged([
  { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
])
// With --no-sandbox (as root, in containers) this would make child processes crash for ever (engineering §0.4).
if (!process.argv.includes('--no-sandbox')) app.enableSandbox()

// Without this Electron builds a menu of its own first, only for ours to take its place.
Menu.setApplicationMenu(null)

const flags = parseFlags(process.argv.slice(1))
if (flags.ok) await begin(flags.value)
else endWith(2, flags.error.message)
