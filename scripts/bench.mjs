import { join } from 'node:path'
import { ensureBuild } from './setup/build.mjs'
import { runCommand } from './setup/command.mjs'
import { hasDisplay, startVirtualDisplay } from './setup/display.mjs'
import { runInForeground } from './setup/foreground.mjs'
import { projectRoot } from './setup/places.mjs'
import { prepare } from './setup/prepare.mjs'

// npm run bench [-- ARGUMENTS]: the numbers of benchmarks/, with TREELINE_ELECTRON naming the Electron to measure.
await runCommand(async (progress) => {
  const runtime = await prepare(progress)
  await ensureBuild(progress)
  const display = hasDisplay() ? undefined : await startVirtualDisplay()
  try {
    const script = join(projectRoot, 'benchmarks', 'run.ts')
    const { code } = await runInForeground(process.execPath, [script, ...process.argv.slice(2)], {
      cwd: projectRoot,
      env: { ...process.env, ...display?.env, TREELINE_ELECTRON: runtime.executable },
    })
    return code
  } finally {
    display?.stop()
  }
})
