import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { npmTrouble, runNpm } from './npm.mjs'
import { projectRoot } from './places.mjs'

/**
 * Part of a lock file's entry for one package.
 * @typedef {{ version?: string, integrity?: string, optional?: boolean }} LockedPackage
 * @typedef {{ packages?: Record<string, LockedPackage> }} Lock
 */

/**
 * Whether what is installed is what the lock file asks for. npm writes node_modules/.package-lock.json when an installation is
 * whole, in the same form, so the two are compared instead of keeping a stamp of our own: an installation made by hand
 * counts as well, and one that was changed by hand is seen.
 * @param {Lock} wanted package-lock.json
 * @param {Lock | undefined} installed node_modules/.package-lock.json
 * @returns {boolean}
 */
export function isInstalled(wanted, installed) {
  const there = installed?.packages
  if (wanted.packages === undefined || there === undefined) return false
  return Object.entries(wanted.packages).every(([path, entry]) => {
    // The first entry is the project; optional packages are those of other systems.
    if (path === '') return true
    const found = there[path]
    if (found === undefined) return entry.optional === true
    return found.version === entry.version && found.integrity === entry.integrity
  })
}

/**
 * @param {string} path
 * @returns {Promise<Lock | undefined>} undefined when it is not there or no JSON
 */
async function readLock(path) {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch {
    return undefined
  }
}

/**
 * @param {string} root a checkout
 * @returns {Promise<boolean>}
 */
export async function packagesAreCurrent(root = projectRoot) {
  const [wanted, installed] = await Promise.all([
    readLock(join(root, 'package-lock.json')),
    readLock(join(root, 'node_modules', '.package-lock.json')),
  ])
  return wanted !== undefined && isInstalled(wanted, installed)
}

/**
 * `npm ci`, when the packages are missing or others than package-lock.json says.
 * @param {import('./progress.mjs').Progress} progress
 */
export async function ensurePackages(progress) {
  if (await packagesAreCurrent()) return
  const again = existsSync(join(projectRoot, 'node_modules'))
  await progress.step(again ? 'npm ci, as package-lock.json has changed' : 'npm ci', async () => {
    // No package needs its install script, and npm before 11 would compile better-sqlite3 without being asked.
    const outcome = await runNpm(['ci', '--ignore-scripts', '--include=dev', '--no-audit', '--no-fund'], {
      cwd: projectRoot,
    })
    if (outcome.code !== 0) throw npmTrouble(outcome, 'npm ci failed')
  })
}
