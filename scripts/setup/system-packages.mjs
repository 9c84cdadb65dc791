import { StepFailure } from './failure.mjs'
import { findProgram } from './find-program.mjs'
import { lastLines, runProgram } from './run-program.mjs'

/** What Electron links against on a bare Debian; the rest comes with these. */
const electronNeeds = ['libnss3', 'libatk-bridge2.0-0', 'libcups2', 'libgtk-3-0', 'libgbm1', 'libasound2']

/** Renamed with the change to 64-bit time (Debian 13, Ubuntu 24.04); the old names are gone or ambiguous there. */
const renamed = new Set(['libatk-bridge2.0-0', 'libcups2', 'libgtk-3-0', 'libasound2'])

/** Scripts that a bare Debian has no letters for, by fontconfig's pattern, and a small font that has them. */
const fontNeeds = { ':lang=zh': 'fonts-wqy-microhei', ':lang=und-zsye': 'fonts-noto-color-emoji' }

/**
 * @param {string} listing what `ldd` printed
 * @returns {string[]} names of the libraries that the loader does not find
 */
export function missingLibraries(listing) {
  return [...listing.matchAll(/^\s*(\S+) => not found$/gm)].map((match) => match[1] ?? '')
}

/**
 * Debian packages for what this machine lacks: Electron's libraries, a virtual display, git.
 * @param {import('./progress.mjs').Progress} progress
 * @param {{ executable?: string, virtualDisplay?: boolean, git?: boolean }} needs `executable`: whose libraries must be there
 */
export async function ensureSystemPackages(progress, needs) {
  if (process.platform !== 'linux') return requireGit(needs.git === true)
  const libraries = needs.executable === undefined ? [] : await librariesMissingFor(needs.executable)
  const packages = [
    ...(libraries.length > 0 ? electronNeeds : []),
    ...(needs.virtualDisplay === true && findProgram('Xvfb') === undefined ? ['xvfb'] : []),
    ...(needs.git === true && findProgram('git') === undefined ? ['git'] : []),
    ...(needs.virtualDisplay === true ? await fontsMissing() : []),
  ]
  if (packages.length === 0) return
  const reason =
    libraries.length > 0
      ? `Electron needs libraries that are not installed: ${libraries.join(', ')}`
      : `not installed: ${packages.join(', ')}`
  await progress.step(`Debian packages (${packages.join(' ')})`, async (tell) => {
    if (findProgram('apt-get') === undefined) {
      throw new StepFailure(reason, 'Install them with the package manager of this system, then run the command again.')
    }
    await install(packages, reason, tell)
    const left = needs.executable === undefined ? [] : await librariesMissingFor(needs.executable)
    if (left.length > 0) {
      throw new StepFailure(
        `apt installed its packages, and Electron still lacks ${left.join(', ')}`,
        'Install the packages that hold them (apt-file search NAME), then run the command again.',
      )
    }
  })
}

/**
 * A picture of sessions in any script must not show boxes. Asked for only where it can be had without a question: a
 * machine without a display and with root is a container, not somebody's desktop.
 * @returns {Promise<string[]>} packages
 */
async function fontsMissing() {
  if (process.getuid?.() !== 0 || findProgram('apt-get') === undefined) return []
  const missing = await Promise.all(
    Object.entries(fontNeeds).map(async ([pattern, name]) => {
      if (findProgram('fc-list') === undefined) return [name]
      const { output } = await runProgram('fc-list', [pattern, 'family'])
      return output.trim() === '' ? [name] : []
    }),
  )
  return missing.flat()
}

/**
 * @param {string} executable
 * @returns {Promise<string[]>} empty where there is no ldd to ask
 */
async function librariesMissingFor(executable) {
  const listing = await runProgram('ldd', [executable], { env: { ...process.env, LC_ALL: 'C' } })
  return missingLibraries(listing.output)
}

/**
 * @param {string[]} packages
 * @param {string} reason
 * @param {import('./progress.mjs').Tell} tell
 */
async function install(packages, reason, tell) {
  const root = process.getuid?.() === 0
  if (!root && (await runProgram('sudo', ['-n', 'true'])).code !== 0) {
    const command = ['sudo', 'apt-get', 'install', '-y', '--no-install-recommends', ...(await namesHere(packages))]
    throw new StepFailure(reason, `Run this, then the command again:\n  ${command.join(' ')}`)
  }
  const apt = [...(root ? [] : ['sudo', '-n']), 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-q']
  // Another apt may be at work on a machine that has just started.
  apt.push('-o', 'DPkg::Lock::Timeout=120')
  tell('reading the package lists')
  await run([...apt, 'update'], 'apt-get update failed')
  const names = await namesHere(packages)
  await run([...apt, 'install', '-y', '--no-install-recommends', ...names], 'apt-get install failed', tell)
}

/**
 * @param {string[]} command
 * @param {string} what
 * @param {import('./progress.mjs').Tell} [tell]
 */
async function run([program = 'apt-get', ...args], what, tell) {
  const outcome = await runProgram(program, args, { onLine: (line) => tell?.(line.slice(0, 50)) })
  if (outcome.code === 0) return
  throw new StepFailure(
    what,
    'Mend what it says below (is the Debian mirror reachable?), then run the command again.',
    lastLines(outcome.output),
  )
}

/**
 * @param {string[]} packages
 * @returns {Promise<string[]>} the names this release knows them by
 */
async function namesHere(packages) {
  return Promise.all(
    packages.map(async (name) => {
      if (!renamed.has(name)) return name
      const known = await runProgram('apt-cache', ['show', '--no-all-versions', `${name}t64`])
      return known.code === 0 ? `${name}t64` : name
    }),
  )
}

/** @param {boolean} needed */
async function requireGit(needed) {
  if (!needed || findProgram('git') !== undefined) return
  throw new StepFailure('git is not installed', 'Install git (https://git-scm.com), then run the command again.')
}
