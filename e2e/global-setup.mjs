import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureBuild } from '../scripts/setup/build.mjs'
import { describeFailure } from '../scripts/setup/command.mjs'
import { hasDisplay, startVirtualDisplay } from '../scripts/setup/display.mjs'
import { floorFolder } from '../scripts/setup/floor-runtime.mjs'
import { projectCache } from '../scripts/setup/places.mjs'
import { prepare } from '../scripts/setup/prepare.mjs'
import { progressOn } from '../scripts/setup/progress.mjs'
import { StepFailure } from '../scripts/setup/failure.mjs'
import { linkProjectRuntime } from '../scripts/setup/project-runtime.mjs'

/**
 * Before any end-to-end test: the runtime, a build of the sources as they are now, and a display. So that `npx playwright
 * test e2e/one.spec.ts` tests the same thing as `npm test`.
 * @returns {Promise<() => void>} what Playwright calls at the end
 */
export default async function globalSetup() {
  const progress = progressOn(process.stderr)
  try {
    const runtime = await prepare(progress)
    Object.assign(process.env, { TREELINE_E2E_APP: JSON.stringify(await waitingApp(runtime)) })
    progress.say(`End to end, on Electron ${runtime.version}`)
    await ensureBuild(progress)
    if (hasDisplay()) return () => undefined
    const display = await startVirtualDisplay()
    // Inherited by the workers.
    Object.assign(process.env, display.env)
    return display.stop
  } catch (error) {
    if (error instanceof StepFailure) throw new Error(describeFailure(error), { cause: error })
    throw error
  }
}

/**
 * How the app is started so that it waits for Playwright: see entry/main.mjs. The floor runtime knows its app by a link only,
 * so it needs a folder of its own for that.
 * @param {import('../scripts/setup/electron.mjs').ElectronRuntime} runtime
 * @returns {Promise<string[]>} a command line
 */
async function waitingApp({ executable, args }) {
  const entry = fileURLToPath(new URL('./entry', import.meta.url))
  if (args.length > 0) return [executable, entry]
  return [await linkProjectRuntime(floorFolder(), join(projectCache, 'electron-e2e'), entry)]
}
