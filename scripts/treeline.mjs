import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildIsCurrent, ensureBuild } from './setup/build.mjs'
import { runCommand } from './setup/command.mjs'
import { runInForeground } from './setup/foreground.mjs'
import { canRunBuilt } from './setup/node-version.mjs'
import { ensurePackages, packagesAreCurrent } from './setup/packages.mjs'
import { callersFolder, projectRoot } from './setup/places.mjs'

const program = join(projectRoot, 'out', 'cli', 'treeline.js')

/** @returns {Promise<number>} */
async function runTreeline() {
  const folder = callersFolder()
  const cwd = existsSync(folder) ? folder : process.cwd()
  const { code } = await runInForeground(process.execPath, [program, ...process.argv.slice(2)], { cwd })
  return code
}

// npm run -s treeline -- …: stdout is the command's JSON and nothing else, so what is done first is told on stderr.
if (canRunBuilt(process.versions.node) && (await packagesAreCurrent()) && (await buildIsCurrent())) {
  process.exitCode = await runTreeline()
} else {
  await runCommand(
    async (progress) => {
      await ensurePackages(progress)
      await ensureBuild(progress)
      return runTreeline()
    },
    { stream: process.stderr },
  )
}
