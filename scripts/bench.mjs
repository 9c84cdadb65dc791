import { join } from 'node:path'
import { ensureBuild } from './setup/build.mjs'
import { runCommand } from './setup/command.mjs'
import { hasDisplay, startVirtualDisplay } from './setup/display.mjs'
import { runInForeground } from './setup/foreground.mjs'
import { projectRoot } from './setup/places.mjs'
import { prepare } from './setup/prepare.mjs'

// npm run bench [-- ARGUMENTS]: the numbers of benchmarks/, which finds the Electron to measure through e2e/electron-runtime.ts.
await runCommand(async (progress) => {
  await prepare(progress)
  await ensureBuild(progress)
  const display = hasDisplay() ? undefined : await startVirtualDisplay()
  try {
    const script = join(projectRoot, 'benchmarks', 'run.ts')
    const { code } = await runInForeground(process.execPath, [script, ...process.argv.slice(2)], {
      cwd: projectRoot,
      env: { ...process.env, ...display?.env },
    })
    return code
  } finally {
    display?.stop()
  }
})
