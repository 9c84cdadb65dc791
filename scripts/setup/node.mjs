import { existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { StepFailure } from './failure.mjs'
import { watchGrowth } from './growth.mjs'
import { neededNode, nodePackage } from './node-version.mjs'
import { npmTrouble, runNpm } from './npm.mjs'
import { userCache } from './places.mjs'
import { lastLines, runProgram } from './run-program.mjs'
import { inWorkFolder } from './work-folder.mjs'

const byHand = `Install Node ${neededNode} or newer (https://nodejs.org), then run the command again.`

/**
 * A Node that is new enough, from the user's cache, fetched from the npm registry when it is not there yet.
 * @param {import('./progress.mjs').Progress} progress
 * @returns {Promise<string>} path of its executable
 */
export async function ensureNode(progress) {
  const wanted = nodePackage(process.platform, process.arch)
  if (wanted === undefined) {
    throw new StepFailure(
      `Treeline needs Node ${neededNode} or newer, this is ${process.versions.node}, and the npm registry has none for ${process.platform} on ${process.arch}`,
      byHand,
    )
  }
  const folder = join(userCache(), `node-${wanted.version}-${process.platform}-${process.arch}`)
  const executable = join(folder, 'node_modules', wanted.name, ...wanted.binary.split('/'))
  if (!existsSync(executable)) {
    await progress.step(`Node ${wanted.version}, as this one is ${process.versions.node}`, (tell) =>
      fetchNode(wanted, folder, tell),
    )
  }
  return executable
}

/**
 * @param {{ name: string, version: string, binary: string }} wanted
 * @param {string} folder appears whole or not at all
 * @param {import('./progress.mjs').Tell} tell
 */
function fetchNode(wanted, folder, tell) {
  return inWorkFolder(async (work) => {
    const spec = `${wanted.name}@${wanted.version}`
    const growth = watchGrowth([work], { stallAfterSeconds: 60, onGrowth: (megabytes) => tell(`${megabytes} MB`) })
    const installed = await runNpm(
      ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', work, spec],
      { cwd: work, signal: growth.signal },
    ).finally(growth.stop)
    if (installed.code !== 0) throw npmTrouble(installed, `npm could not install ${spec}`, growth.signal.aborted)

    const tried = await runProgram(join(work, 'node_modules', wanted.name, ...wanted.binary.split('/')), ['--version'])
    if (tried.code !== 0) {
      throw new StepFailure(`Node ${wanted.version} from ${spec} does not run here`, byHand, lastLines(tried.output))
    }
    await rename(work, folder).catch((error) => {
      // Another set-up was faster: its Node is as good.
      if (!existsSync(folder)) throw error
    })
  })
}
