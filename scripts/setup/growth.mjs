import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * @param {string} folder
 * @returns {Promise<number>} bytes of all files below it; files that vanish meanwhile count nothing
 */
async function bytesBelow(folder) {
  let total = 0
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) total += await bytesBelow(path)
    else
      total += await stat(path).then(
        (file) => file.size,
        () => 0,
      )
  }
  return total
}

/**
 * Watches folders that another program downloads into. A download is bounded by silence, not by its length: a slow
 * network that moves is left alone, one that swallows packets is given up.
 * @param {string[]} folders need not exist yet
 * @param {{ stallAfterSeconds: number, onGrowth: (megabytes: number) => void }} options
 * @returns {{ signal: AbortSignal, stop: () => void }} `signal` aborts when nothing has grown for that long
 */
export function watchGrowth(folders, { stallAfterSeconds, onGrowth }) {
  const stalled = new AbortController()
  let seen = 0
  let lastGrowth = performance.now()
  let measuring = false
  const timer = setInterval(async () => {
    if (measuring) return
    measuring = true
    let bytes = 0
    for (const folder of folders) bytes += await bytesBelow(folder)
    measuring = false
    if (bytes !== seen) {
      seen = bytes
      lastGrowth = performance.now()
      onGrowth(Math.round(bytes / 1e6))
    } else if (performance.now() - lastGrowth > stallAfterSeconds * 1000) stalled.abort()
  }, 500)
  return { signal: stalled.signal, stop: () => clearInterval(timer) }
}
