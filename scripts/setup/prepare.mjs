import { hasDisplay } from './display.mjs'
import { ensureElectron } from './electron.mjs'
import { ensurePackages } from './packages.mjs'
import { ensureSystemPackages } from './system-packages.mjs'

/**
 * Everything the app needs to run here; each step only where something is missing, so a second call takes milliseconds.
 * @param {import('./progress.mjs').Progress} progress
 * @param {{ retry?: boolean }} [options] `retry`: try to download the declared Electron again
 * @returns {Promise<import('./electron.mjs').ElectronRuntime>}
 */
export async function prepare(progress, options = {}) {
  await ensurePackages(progress)
  const runtime = await ensureElectron(progress, options)
  await ensureSystemPackages(progress, {
    executable: runtime.executable,
    virtualDisplay: !hasDisplay(),
    git: true,
  })
  return runtime
}
