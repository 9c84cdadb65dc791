import { existsSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { downloadFloor, floor } from './floor-download.mjs'
import { unpackFloor } from './floor-unpack.mjs'
import { userCache } from './places.mjs'
import { inWorkFolder } from './work-folder.mjs'

/**
 * @param {string} platform
 * @param {string} arch
 * @returns {boolean} whether the fallback exists for this machine
 */
export function floorFits(platform = process.platform, arch = process.arch) {
  return platform === 'linux' && arch === 'x64'
}

/** @returns {string} folder of the floor runtime that all checkouts of this user share */
export function floorFolder() {
  return join(userCache(), `electron-${floor.version}-linux-x64`)
}

/** @returns {boolean} the folder appears whole or not at all, so being there is enough */
export function floorIsThere() {
  return existsSync(floorFolder())
}

/**
 * Fetches the floor runtime into the user's cache: under a temporary name first, so that a killed set-up leaves nothing
 * that looks finished and two set-ups at once do no harm.
 * @param {import('./progress.mjs').Tell} tell
 */
export function fetchFloor(tell) {
  return inWorkFolder(async (work) => {
    const runtime = join(work, 'runtime')
    await mkdir(runtime)
    await unpackFloor(await downloadFloor(work, tell), runtime, tell)
    await rename(runtime, floorFolder()).catch((error) => {
      // Another set-up was faster: its runtime is as good.
      if (!floorIsThere()) throw error
    })
  })
}
