import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureBuild } from './setup/build.mjs'
import { runCommand } from './setup/command.mjs'
import { hasDisplay, startVirtualDisplay } from './setup/display.mjs'
import { chromiumArguments } from './setup/electron-arguments.mjs'
import { floorFolder } from './setup/floor-runtime.mjs'
import { runInForeground } from './setup/foreground.mjs'
import { projectRoot } from './setup/places.mjs'
import { prepare } from './setup/prepare.mjs'
import { linkProjectRuntime } from './setup/project-runtime.mjs'

// npm run bench [-- NAME …]: the numbers of benchmarks/. How the app and an Electron with nothing in it are started is
// handed over as two command lines in JSON.
await runCommand(async (progress) => {
  const runtime = await prepare(progress)
  await ensureBuild(progress)
  const display = hasDisplay() ? undefined : await startVirtualDisplay()
  const work = await mkdtemp(join(tmpdir(), 'treeline-bench-'))
  try {
    const { args } = chromiumArguments({ virtualDisplay: display !== undefined })
    const empty = await emptyWindow(runtime, work)
    const script = join(projectRoot, 'benchmarks', 'run.ts')
    const { code } = await runInForeground(process.execPath, [script, ...process.argv.slice(2)], {
      cwd: projectRoot,
      env: {
        ...process.env,
        ...display?.env,
        TREELINE_BENCH_APP: JSON.stringify([runtime.executable, ...runtime.args, ...args]),
        TREELINE_BENCH_EMPTY: JSON.stringify([...empty, ...args]),
      },
    })
    return code
  } finally {
    display?.stop()
    await rm(work, { recursive: true, force: true })
  }
})

/**
 * @param {{ executable: string, args: string[] }} runtime
 * @param {string} work a folder for what is made
 * @returns {Promise<string[]>} the floor runtime knows its app by a link only, so it needs a folder of its own
 */
async function emptyWindow(runtime, work) {
  const app = join(projectRoot, 'benchmarks', 'empty-window')
  if (runtime.args.length > 0) return [runtime.executable, app]
  return [await linkProjectRuntime(floorFolder(), join(work, 'electron'), app)]
}
