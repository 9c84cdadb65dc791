import { mkdir, open, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findGit, searchFolders, USUAL_GIT_FOLDERS } from './find-git.ts'
import { createGit } from './git.ts'
import { createGitWorktrees } from './git-worktrees.ts'
import { isRead, makePipe, makeRepository, temporaryFolder, TEST_ENVIRONMENT, writeScript } from './testing/test-git.ts'
import { added, planned, SESSION } from './testing/worktree-harness.ts'

/** Field fault F19: git is not found, or refuses, or never returns, or is old. */

async function gitPath(): Promise<string> {
  return (await findGit(searchFolders(process.env, USUAL_GIT_FOLDERS))) ?? 'no git'
}

/** A `git` of our own, first on the PATH. */
async function fakeGit(lines: readonly string[]): Promise<{ folder: string; environment: NodeJS.ProcessEnv }> {
  const folder = await temporaryFolder()
  await writeScript(join(folder, 'git'), lines)
  return { folder, environment: { ...TEST_ENVIRONMENT, PATH: `${folder}:${process.env['PATH'] ?? ''}` } }
}

test('without git anywhere: git_not_found, in words', async () => {
  const empty = await temporaryFolder()
  const git = createGit({ ...TEST_ENVIRONMENT, PATH: empty }, [])
  expect(await git(['--version'], { cwd: empty })).toMatchObject({ ok: false, error: { code: 'git_not_found' } })
})

test('with a PATH that lacks it, git is found in a usual place; a folder or a plain text of that name is not it', async () => {
  const folder = await temporaryFolder()
  for (const name of ['a', 'b', 'c']) await mkdir(join(folder, name))
  await mkdir(join(folder, 'a', 'git'))
  await writeFile(join(folder, 'b', 'git'), 'no program')
  const usual = ['a', 'b', 'c'].map((name) => join(folder, name))
  const git = createGit({ ...TEST_ENVIRONMENT, PATH: '/nowhere' }, usual)
  expect(await git(['--version'], { cwd: folder })).toMatchObject({ ok: false, error: { code: 'git_not_found' } })
  // It is looked for again: git may have been installed in the meantime.
  await symlink(await gitPath(), join(folder, 'c', 'git'))
  expect(await git(['--version'], { cwd: folder })).toMatchObject({ ok: true, value: { exitCode: 0 } })
})

test('a cwd that is gone is told as that, not as a git that is not there', async () => {
  const cwd = join(await temporaryFolder(), 'gone')
  const git = createGit(TEST_ENVIRONMENT)
  expect(await git(['--version'], { cwd })).toMatchObject({ ok: false, error: { code: 'cwd_missing', path: cwd } })
})

test('a git that never returns is stopped, with what it has started', async () => {
  const cwd = await temporaryFolder()
  await makePipe(join(cwd, 'pipe'))
  const { environment } = await fakeGit([`(read line <'${cwd}/pipe')`])
  const ended = await createGit(environment)(['status'], { cwd, timeoutMs: 500 })
  expect(ended).toMatchObject({ ok: false, error: { code: 'git_timed_out' } })
  expect(await isRead(join(cwd, 'pipe'))).toBe(false)
})

test('a git that does not listen is killed', async () => {
  const cwd = await temporaryFolder()
  await makePipe(join(cwd, 'pipe'))
  const { environment } = await fakeGit([`trap '' TERM`, `read line <'${cwd}/pipe'`])
  const cancel = new AbortController()
  const ended = createGit(environment)(['status'], { cwd, signal: cancel.signal, timeoutMs: 'none' })
  // Opens as soon as the script reads, and keeps it reading.
  const pipe = await open(join(cwd, 'pipe'), 'w')
  cancel.abort()
  expect(await ended).toMatchObject({ ok: false, error: { code: 'cancelled' } })
  await pipe.close()
  expect(await isRead(join(cwd, 'pipe'))).toBe(false)
})

test('a git that is killed by somebody has not answered, whatever exit codes are expected', async () => {
  const cwd = await temporaryFolder()
  const { environment } = await fakeGit(['kill -9 $$'])
  const ended = await createGit(environment)(['status'], { cwd, expectedExit: [0, 1, 128, 137] })
  expect(ended).toMatchObject({ ok: false, error: { code: 'git_refused' } })
  expect(!ended.ok && ended.error.message).toContain('SIGKILL')
})

test('a hook’s daemon that keeps the pipes open does not keep the answer', async () => {
  const cwd = await temporaryFolder()
  await makePipe(join(cwd, 'pipe'))
  const { environment } = await fakeGit([`(read line <'${cwd}/pipe') &`, 'echo done'])
  const ended = await createGit(environment)(['status'], { cwd })
  expect(ended).toMatchObject({ ok: true, value: { stdout: 'done\n' } })
  await writeFile(join(cwd, 'pipe'), 'end\n')
})

test('what git runs in: English, no prompt, no inherited repository, the user’s own settings kept', async () => {
  const cwd = await temporaryFolder()
  const { environment } = await fakeGit(['env'])
  const git = createGit({
    ...environment,
    LC_ALL: 'de_DE.UTF-8',
    GIT_DIR: '/elsewhere/.git',
    GIT_INDEX_FILE: '/elsewhere/index',
    GIT_ASKPASS: '/usr/bin/askpass',
    GIT_CONFIG_COUNT: '0',
  })
  const answer = await git(['status'], { cwd })
  const lines = answer.ok ? answer.value.stdout.split('\n') : []
  for (const line of [
    'LC_ALL=C',
    'GIT_TERMINAL_PROMPT=0',
    'GIT_ASKPASS=',
    'GIT_CONFIG_COUNT=0',
    'GIT_CONFIG_GLOBAL=/dev/null',
  ]) {
    expect(lines).toContain(line)
  }
  expect(lines.some((line) => /^GIT_(?:DIR|INDEX_FILE)=/.test(line))).toBe(false)
})

test('another owner: refused with git’s own words, and the user’s settings are not changed', async () => {
  const folder = await temporaryFolder()
  const repository = await makeRepository(join(folder, 'r'))
  const settings = join(folder, 'gitconfig')
  await writeFile(settings, '[user]\n\tname = Me\n')
  const environment = { ...TEST_ENVIRONMENT, GIT_CONFIG_GLOBAL: settings, GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' }
  const worktrees = createGitWorktrees({ home: join(folder, 'home'), git: createGit(environment) })
  const plan = await worktrees.plan({ cwd: repository, name: 'x', sessionId: SESSION })
  expect(plan).toMatchObject({ ok: false, error: { code: 'git_refused', path: repository } })
  expect(!plan.ok && plan.error.message).toContain(`detected dubious ownership in repository at '${repository}'`)
  expect(await readFile(settings, 'utf8')).toBe('[user]\n\tname = Me\n')
})

test('git 2.25, which has no NUL-separated list and quotes paths: plan, add and undo work', async () => {
  const folder = await temporaryFolder()
  const repository = await makeRepository(join(folder, '果园 ü'))
  const real = await gitPath()
  const { environment } = await fakeGit([
    'if [ "$1" = --version ]; then echo "git version 2.25.1"; exit; fi',
    'case " $* " in',
    `*" worktree list "*" -z "*) echo "error: unknown switch 'z'" >&2; exit 129;;`,
    `*" worktree list "*) '${real}' "$@" | sed 's/^worktree \\(.*\\)$/worktree "\\1"/'; exit;;`,
    'esac',
    `exec '${real}' "$@"`,
  ])
  const worktrees = createGitWorktrees({ home: join(folder, 'home'), git: createGit(environment) })
  const plan = await planned(worktrees, repository)
  const made = await added(worktrees, plan)
  expect(await readFile(join(made.record.path, 'a.txt'), 'utf8')).toBe('one\n')
  expect(await worktrees.undo(plan)).toEqual({ ok: true, value: undefined })
})
