import { existsSync } from 'node:fs'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StepFailure } from './failure.mjs'
import { watchGrowth } from './growth.mjs'
import { projectRoot, userCache } from './places.mjs'
import { lastLines, runProgram } from './run-program.mjs'
import { inWorkFolder } from './work-folder.mjs'

const folder = join(projectRoot, 'node_modules', 'electron')
const day = 24 * 60 * 60 * 1000

/** @returns {Promise<string>} the version that package.json declares, as installed */
export async function declaredVersion() {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')).version
}

/**
 * @param {string} version
 * @returns {Promise<string | undefined>} the executable, when Electron's own installer has been through
 */
export async function declaredExecutable(version) {
  try {
    const [installed, path] = await Promise.all([
      readFile(join(folder, 'dist', 'version'), 'utf8'),
      readFile(join(folder, 'path.txt'), 'utf8'),
    ])
    const executable = join(folder, 'dist', path)
    return installed.replace(/^v/, '').trim() === version && existsSync(executable) ? executable : undefined
  } catch {
    return undefined
  }
}

/**
 * Runs Electron's own installer, which downloads from GitHub (or from ELECTRON_MIRROR).
 * @param {import('./progress.mjs').Tell} tell
 * @returns {Promise<void>} rejects with a StepFailure whose message is the reason in a few words
 */
export function installDeclared(tell) {
  return inWorkFolder(async (temporary) => {
    // It downloads to the temporary folder, then unpacks to dist/. Blocked networks refuse at once or swallow everything.
    const growth = watchGrowth([temporary, join(folder, 'dist')], {
      stallAfterSeconds: 20,
      onGrowth: (megabytes) => tell(`${megabytes} MB`),
    })
    const outcome = await runProgram(process.execPath, [join(folder, 'install.js')], {
      // Node's fetch takes HTTPS_PROXY only when told to.
      env: { ...process.env, TMPDIR: temporary, TEMP: temporary, TMP: temporary, NODE_USE_ENV_PROXY: '1' },
      signal: growth.signal,
    }).finally(growth.stop)
    if (outcome.code === 0) return
    throw new StepFailure(
      growth.signal.aborted ? 'nothing came for 20 seconds' : reasonIn(outcome.output),
      [
        'Allow github.com, or name a mirror in ELECTRON_MIRROR, or unpack an Electron yourself and name its folder in',
        'ELECTRON_OVERRIDE_DIST_PATH; then run the command again.',
      ].join('\n'),
      lastLines(outcome.output),
    )
  })
}

/**
 * @param {string} output what the installer printed: a stack
 * @returns {string} the message in it
 */
export function reasonIn(output) {
  return /^\s*(?:\[?cause\]?: )?\w*Error: (.+)$/m.exec(output)?.[1] ?? 'the installer failed'
}

/** @param {string} version */
const rememberedIn = (version) => join(userCache(), `electron-${version}-unreachable`)

/**
 * A failed download is not tried again for a day, by any checkout: a network that hangs would cost every start its time.
 * @param {string} version
 * @returns {Promise<boolean>}
 */
export async function failedLately(version, now = Date.now()) {
  const failure = await stat(rememberedIn(version)).catch(() => undefined)
  return failure !== undefined && now - failure.mtimeMs < day
}

/**
 * @param {string} version
 * @param {string} reason
 */
export async function rememberFailure(version, reason) {
  await writeFile(rememberedIn(version), `${reason}\n`)
}

/** @param {string} version */
export async function forgetFailure(version) {
  await rm(rememberedIn(version), { force: true })
}
