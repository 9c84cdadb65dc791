import { existsSync } from 'node:fs'
import { chmod, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { RegistryFailure } from './failure.mjs'
import { downloadPackage } from './large-package.mjs'
import { userCache } from './places.mjs'
import { runProgram } from './run-program.mjs'
import { extractTarEntry } from './tar-entry.mjs'
import { inWorkFolder } from './work-folder.mjs'

/**
 * The real agent that the tests talk to: what `opencode-ai` of this version brings along for 64-bit Linux, in the build that
 * runs on any such processor. 185 MB that only one test file needs are no dependency.
 */
const opencode = {
  version: '1.18.33',
  package: 'opencode-linux-x64-baseline@1.18.33',
  megabytes: 60,
  integrity: 'sha512-1KQGBiiDDeL/VHHbHkOvvFo8Jr97WT5+C1tear+p7IcDTnXgVHXqIjU4O4jM4mHQzykTP2i884FCnW5LDa+zCA==',
}

/**
 * OpenCode, from the user's cache, fetched from the npm registry when it is not there yet.
 * @param {import('./progress.mjs').Progress} progress
 * @param {{ platform?: string, arch?: string }} [machine]
 * @returns {Promise<{ program: string } | { missing: string }>} `missing`: why there is none, where that is nobody's
 *   mistake; rejects with a StepFailure where what came is not what was published
 */
export async function ensureOpencode(progress, { platform = process.platform, arch = process.arch } = {}) {
  if (platform !== 'linux' || arch !== 'x64') return { missing: `OpenCode is fetched for 64-bit Linux only` }
  const folder = join(userCache(), `opencode-${opencode.version}-linux-x64`)
  const program = join(folder, 'opencode')
  if (existsSync(program)) return { program }
  try {
    await progress.step(`OpenCode ${opencode.version}, the agent of a test`, (tell) => fetchOpencode(folder, tell))
  } catch (error) {
    if (!(error instanceof RegistryFailure)) throw error
    return { missing: error.message }
  }
  return existsSync(program) ? { program } : { missing: `OpenCode ${opencode.version} does not run on this system` }
}

/**
 * @param {string} folder appears whole or not at all, and not where the program does not run (another C library)
 * @param {import('./progress.mjs').Tell} tell
 */
function fetchOpencode(folder, tell) {
  return inWorkFolder(async (work) => {
    const made = join(work, 'opencode')
    await mkdir(made)
    const tarball = await downloadPackage(opencode, work, tell)
    tell('unpacking')
    await extractTarEntry(tarball, 'package/bin/opencode', join(made, 'opencode'))
    await rm(tarball)
    await chmod(join(made, 'opencode'), 0o755)
    const tried = await runProgram(join(made, 'opencode'), ['--version'])
    if (tried.output.trim() !== opencode.version) return
    await rename(made, folder).catch((error) => {
      // Another run was faster: its OpenCode is as good.
      if (!existsSync(folder)) throw error
    })
  })
}
