import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { StepFailure } from './failure.mjs'
import { watchGrowth } from './growth.mjs'
import { npmTrouble, runNpm } from './npm.mjs'

/**
 * A package of the npm registry that is too large, or of too few systems, to be a dependency: it is fetched when it is needed.
 * @typedef {{ package: string, megabytes: number, integrity: string }} LargePackage `package` with its version, as npm
 *   takes it; `megabytes` of the download; `integrity` as in a lock file
 */

/**
 * Downloads a package by npm (so its registry, proxy and credentials settings hold) and checks it.
 * @param {LargePackage} wanted
 * @param {string} folder an empty folder for it
 * @param {import('./progress.mjs').Tell} tell
 * @returns {Promise<string>} path of the verified tarball; rejects with a RegistryFailure where npm cannot get it
 */
export async function downloadPackage(wanted, folder, tell) {
  const growth = watchGrowth([folder], {
    stallAfterSeconds: 60,
    // npm copies what it has downloaded, so the folder grows beyond the download.
    onGrowth: (megabytes) => tell(`${Math.min(megabytes, wanted.megabytes)} MB of ${wanted.megabytes} MB`),
  })
  const cache = join(folder, 'npm-cache')
  // A cache of its own: what npm downloads can be watched growing, and a large package is not kept twice.
  const packed = await runNpm(
    ['pack', wanted.package, '--pack-destination', folder, '--cache', cache, '--ignore-scripts'],
    {
      cwd: folder,
      signal: growth.signal,
    },
  ).finally(growth.stop)
  if (packed.code !== 0) {
    throw npmTrouble(packed, `npm could not download ${wanted.package}`, growth.signal.aborted)
  }
  await rm(cache, { recursive: true, force: true })
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz'))
  if (tarball === undefined) throw new Error(`npm pack succeeded and left no tarball in ${folder}`)
  tell('checking its integrity')
  await verifyIntegrity(join(folder, tarball), wanted.integrity)
  return join(folder, tarball)
}

/**
 * @param {string} file
 * @param {string} integrity `sha512-<base64>`, as in a lock file
 * @returns {Promise<void>} rejects with a StepFailure when the file is another one
 */
export async function verifyIntegrity(file, integrity) {
  const hash = createHash('sha512')
  await pipeline(createReadStream(file), hash)
  const actual = `sha512-${hash.digest('base64')}`
  if (actual === integrity) return
  throw new StepFailure(
    `${file} is not the file that was published: its integrity is ${actual}, not ${integrity}`,
    'Check which registry npm uses (npm config get registry), then run the command again.',
  )
}
