import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The checkout these scripts belong to. */
export const projectRoot = resolve(fileURLToPath(new URL('../..', import.meta.url)))

/** Derived things of this checkout alone. Inside node_modules: gone with it, never committed, walked by no tool. */
export const projectCache = join(projectRoot, 'node_modules', '.cache', 'treeline')

/**
 * Where downloads that every checkout of this user shares are kept. XDG_CACHE_HOME wins on every system, because whoever
 * sets it means it; the specification says to ignore a relative one.
 * @param {NodeJS.Platform} platform
 * @param {Record<string, string | undefined>} env
 * @param {string} home
 * @returns {string} absolute path, not created
 */
export function userCache(platform = process.platform, env = process.env, home = homedir()) {
  if (env['XDG_CACHE_HOME']?.startsWith('/')) return join(env['XDG_CACHE_HOME'], 'treeline')
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'treeline')
  if (platform === 'win32') return join(env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'treeline', 'cache')
  return join(home, '.cache', 'treeline')
}

/**
 * The folder the person called from: npm runs scripts in the project's root and tells the caller's folder in INIT_CWD.
 * @returns {string}
 */
export function callersFolder() {
  return process.env['INIT_CWD'] ?? process.cwd()
}
