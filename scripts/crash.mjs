import { join } from 'node:path'
import { ensureBuild } from './setup/build.mjs'
import { runCommand } from './setup/command.mjs'
import { runInForeground } from './setup/foreground.mjs'
import { ensurePackages } from './setup/packages.mjs'
import { projectRoot } from './setup/places.mjs'

// npm run test:crash: an owner of a home, killed again and again while it works; needs neither Electron nor a display.
// TREELINE_CRASHES sets how often (300), TREELINE_CRASH_SEED the choices it makes.
await runCommand(async (progress) => {
  await ensurePackages(progress)
  await ensureBuild(progress)
  const script = join(projectRoot, 'src', 'cli', 'testing', 'crash', 'main.ts')
  const program = join(projectRoot, 'out', 'cli', 'treeline.js')
  const { code } = await runInForeground(process.execPath, [script, program], { cwd: projectRoot })
  return code
})
