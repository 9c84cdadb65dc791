import { ensureBuild } from '../scripts/setup/build.mjs'
import { describeFailure } from '../scripts/setup/command.mjs'
import { hasDisplay, startVirtualDisplay } from '../scripts/setup/display.mjs'
import { prepare } from '../scripts/setup/prepare.mjs'
import { progressOn } from '../scripts/setup/progress.mjs'
import { StepFailure } from '../scripts/setup/failure.mjs'

/**
 * Before any end-to-end test: the runtime, a build of the sources as they are now, and a display. So that `npx playwright
 * test e2e/one.spec.ts` tests the same thing as `npm test`.
 * @returns {Promise<() => void>} what Playwright calls at the end
 */
export default async function globalSetup() {
  const progress = progressOn(process.stderr)
  try {
    const { version } = await prepare(progress)
    progress.say(`End to end, on Electron ${version}`)
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
