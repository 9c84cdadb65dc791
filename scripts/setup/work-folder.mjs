import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { userCache } from './places.mjs'

const prefix = 'partial-'
const abandonedAfter = 60 * 60 * 1000

/**
 * Does something in a folder of the user's cache that is gone afterwards. A killed set-up cannot remove its own, so what
 * has lain there for an hour goes first.
 * @template T
 * @param {(folder: string) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function inWorkFolder(work) {
  const cache = userCache()
  await mkdir(cache, { recursive: true })
  await removeAbandoned(cache)
  const folder = await mkdtemp(join(cache, prefix))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** @param {string} cache */
async function removeAbandoned(cache) {
  for (const name of (await readdir(cache)).filter((entry) => entry.startsWith(prefix))) {
    const path = join(cache, name)
    const age = await stat(path).then(
      (folder) => Date.now() - folder.mtimeMs,
      () => 0,
    )
    if (age > abandonedAfter) await rm(path, { recursive: true, force: true })
  }
}
