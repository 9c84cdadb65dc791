import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, open, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, onTestFinished } from 'vitest'

/** Git for tests: nobody's settings, a fixed name, and no repository inherited from a hook that runs the tests. */
export const TEST_ENVIRONMENT: NodeJS.ProcessEnv = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))),
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Dev',
  GIT_AUTHOR_EMAIL: 'dev@example.invalid',
  GIT_COMMITTER_NAME: 'Dev',
  GIT_COMMITTER_EMAIL: 'dev@example.invalid',
}

/** What git prints; throws if it fails. */
export async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', args, { cwd, env: TEST_ENVIRONMENT })
  return stdout
}

/** A new folder outside every repository, without symbolic links, gone after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'treeline-worktrees-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

let seed: Promise<string> | undefined

/** Made once and copied: four processes a repository are what most of a test's time would go to. */
function seedRepository(): Promise<string> {
  seed ??= (async () => {
    const folder = await mkdtemp(join(tmpdir(), 'treeline-seed-'))
    await git(folder, 'init', '-q', '-b', 'main', '--template=')
    await commitFile(folder, 'a.txt', 'one\n')
    return folder
  })()
  return seed
}

afterAll(async () => {
  if (seed) await rm(await seed, { recursive: true, force: true })
})

/** A repository on `main` with one commit that holds `a.txt`. */
export async function makeRepository(folder: string): Promise<string> {
  await cp(await seedRepository(), folder, { recursive: true, preserveTimestamps: true })
  return folder
}

/** Writes a file below a repository and commits all there is. */
export async function commitFile(repository: string, file: string, text: string): Promise<void> {
  await mkdir(join(repository, file, '..'), { recursive: true })
  await writeFile(join(repository, file), text)
  await git(repository, 'add', '-A')
  await git(repository, 'commit', '-qm', `add ${file}`)
}

/** Installs a hook of a repository (its common git directory) as a shell script. */
export async function installHook(gitDirectory: string, name: string, lines: readonly string[]): Promise<void> {
  await mkdir(join(gitDirectory, 'hooks'), { recursive: true })
  await writeScript(join(gitDirectory, 'hooks', name), lines)
}

/** Writes an executable shell script. */
export async function writeScript(path: string, lines: readonly string[]): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${lines.join('\n')}\n`)
  await chmod(path, 0o755)
}

/** A script that stops for as long as a test wants: it opens a pipe nobody writes to. */
export async function makePipe(path: string): Promise<void> {
  await promisify(execFile)('mkfifo', [path])
}

/** True while some process has the pipe open for reading. */
export async function isRead(pipe: string): Promise<boolean> {
  const handle = await open(pipe, constants.O_WRONLY | constants.O_NONBLOCK).catch(() => undefined)
  await handle?.close()
  return handle !== undefined
}

/**
 * Everything that a creation could leave behind, read as it lies on disk: entries, branches, reflogs and locks in the
 * git directory, and the folders given.
 */
export async function traces(gitDirectory: string, ...folders: readonly string[]): Promise<object> {
  const refs = await files(join(gitDirectory, 'refs'))
  const commits = refs.map(async (ref) => [
    ref,
    await readFile(join(gitDirectory, 'refs', ref), 'utf8').catch(() => ''),
  ])
  return {
    entries: await files(join(gitDirectory, 'worktrees'), 'all'),
    refs: await Promise.all(commits),
    packed: await readFile(join(gitDirectory, 'packed-refs'), 'utf8').catch(() => ''),
    reflogs: await files(join(gitDirectory, 'logs')),
    locks: (await readdir(gitDirectory)).filter((name) => name.endsWith('.lock')),
    folders: await Promise.all(folders.map((folder) => files(folder, 'all'))),
  }
}

/** The same, as git itself tells it. */
export async function tracesByGit(repository: string): Promise<object> {
  const worktrees = await git(repository, 'worktree', 'list', '--porcelain')
  return { worktrees, refs: await git(repository, 'for-each-ref', '--format=%(refname) %(objectname)') }
}

/** Without folders where git keeps them for next time. */
async function files(folder: string, what: 'files' | 'all' = 'files'): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => what === 'all' || !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .toSorted((one, other) => one.localeCompare(other, 'en'))
}
