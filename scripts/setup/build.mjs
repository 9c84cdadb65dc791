import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StepFailure } from './failure.mjs'
import { projectRoot } from './places.mjs'
import { lastLines, runProgram } from './run-program.mjs'

const out = join(projectRoot, 'out')
const stamp = join(out, '.built-from')
const products = ['main/index.js', 'preload/index.cjs', 'renderer/index.html', 'cli/treeline.js']
const settings = ['electron.vite.config.ts', 'package.json', 'package-lock.json']

/**
 * By content, not by time: a checkout of another commit and back, or a copy, leaves times that say nothing.
 * @param {string} root
 * @returns {Promise<string>} a hash over everything the build reads
 */
export async function sourcesHash(root = projectRoot) {
  const hash = createHash('sha256')
  const files = [...settings, ...(await filesBelow(root, 'src'))].toSorted()
  const contents = await Promise.all(files.map((file) => readFile(join(root, file)).catch(() => Buffer.alloc(0))))
  files.forEach((file, index) => hash.update(`${file}\0${contents[index]?.length}\0`).update(contents[index] ?? ''))
  return hash.digest('hex')
}

/**
 * @param {string} root
 * @param {string} folder relative to it
 * @returns {Promise<string[]>} paths relative to root, tests left out
 */
async function filesBelow(root, folder) {
  const entries = await readdir(join(root, folder), { withFileTypes: true })
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) return filesBelow(root, path)
      return /\.test\.tsx?$/.test(path) ? [] : [path]
    }),
  )
  return found.flat()
}

/** @returns {Promise<boolean>} whether out/ holds what the sources say */
export async function buildIsCurrent() {
  if (!products.every((file) => existsSync(join(out, file)))) return false
  const builtFrom = await readFile(stamp, 'utf8').catch(() => '')
  return builtFrom === (await sourcesHash())
}

/**
 * @param {import('./progress.mjs').Progress} progress
 */
export async function ensureBuild(progress) {
  if (await buildIsCurrent()) return
  // Taken before: a file saved while the build runs makes the next one build again.
  const builtFrom = await sourcesHash()
  await progress.step('build', async () => {
    const start = Date.now()
    await rm(stamp, { force: true })
    const tool = join(projectRoot, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js')
    const outcome = await runProgram(process.execPath, [tool, 'build', '--logLevel', 'warn'], { cwd: projectRoot })
    const lacking = products.filter((file) => !existsSync(join(out, file)))
    if (outcome.code !== 0 || lacking.length > 0) {
      throw new StepFailure(
        outcome.code === 0 ? `the build made no ${lacking.join(', ')}` : 'the sources do not build',
        'Mend what is named below, then run the command again.',
        lastLines(outcome.output, 30),
      )
    }
    await removeOlder(join(out, 'chunks'), start)
    await writeFile(stamp, builtFrom)
  })
}

/**
 * Chunks carry a hash in their names, and main's output folder is not emptied: what the former build left goes.
 * @param {string} folder
 * @param {number} time
 */
async function removeOlder(folder, time) {
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    const path = join(folder, name)
    // A second of room for file systems that keep whole seconds.
    if ((await stat(path)).mtimeMs < time - 1000) await rm(path)
  }
}
