import { existsSync } from 'node:fs'
import { appendFile, mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createGit } from './git.ts'
import { createGitWorktrees } from './git-worktrees.ts'
import {
  commitFile,
  git,
  installHook,
  makePipe,
  makeRepository,
  temporaryFolder,
  TEST_ENVIRONMENT,
  traces,
} from './testing/test-git.ts'
import { added, planned, SESSION, worktreesFor } from './testing/worktree-harness.ts'
import type { WorktreeTemplates } from './worktree-policy.ts'

async function repositoryIn(folder: string): Promise<{ repository: string; gitDirectory: string }> {
  const repository = await makeRepository(join(folder, 'r'))
  return { repository, gitDirectory: join(repository, '.git') }
}

test('two at once for one repository: both are made, under names of their own', async () => {
  const { repository } = await repositoryIn(await temporaryFolder())
  const { worktrees } = await worktreesFor()
  const made = await Promise.all(
    ['0000aaaa', '0000bbbb', '0000cccc'].map(async (end) => {
      const plan = await worktrees.plan({
        cwd: repository,
        name: 'harvest',
        sessionId: SESSION.replace('deadbeef', end),
      })
      if (!plan.ok) throw new Error(plan.error.message)
      return added(worktrees, plan.value)
    }),
  )
  expect(new Set(made.map(({ record }) => record.path)).size).toBe(3)
  expect(new Set(made.map(({ record }) => record.branch)).size).toBe(3)
  const listed = await git(repository, 'worktree', 'list', '--porcelain')
  for (const { record } of made) expect(listed).toContain(`worktree ${record.path}\n`)
})

test('two plans of one name: the first gets it, the second is refused by name and disturbs nothing', async () => {
  const { repository, gitDirectory } = await repositoryIn(await temporaryFolder())
  const { home, worktrees } = await worktreesFor()
  const first = await planned(worktrees, repository)
  const second = await planned(worktrees, repository)
  const made = await added(worktrees, first)
  await writeFile(join(made.record.path, 'work.txt'), 'mine\n')
  const before = await traces(gitDirectory, home)
  expect(await worktrees.add(second)).toMatchObject({ ok: false, error: { code: 'path_taken' } })
  expect(await worktrees.undo(second)).toEqual({ ok: true, value: undefined })
  expect(await traces(gitDirectory, home)).toEqual(before)
  expect(await readFile(join(made.record.path, 'work.txt'), 'utf8')).toBe('mine\n')
})

test('a branch that appears between plan and add is never attached to, reset or removed', async () => {
  const { repository, gitDirectory } = await repositoryIn(await temporaryFolder())
  const { home, worktrees } = await worktreesFor()
  const plan = await planned(worktrees, repository)
  await git(repository, 'branch', plan.record.branch)
  const before = await traces(gitDirectory, home)
  expect(await worktrees.add(plan)).toMatchObject({ ok: false, error: { code: 'branch_taken' } })
  expect(await worktrees.undo(plan)).toEqual({ ok: true, value: undefined })
  expect(await traces(gitDirectory, home)).toEqual(before)
})

test('the templates are asked for with each plan, and a bad one is refused before git is', async () => {
  const { repository } = await repositoryIn(await temporaryFolder())
  const templates: { now: WorktreeTemplates } = { now: { worktreePath: null, worktreeBranch: 'mine/{id}' } }
  const worktrees = createGitWorktrees({
    home: await temporaryFolder(),
    git: createGit(TEST_ENVIRONMENT),
    templates: () => Promise.resolve(templates.now),
  })
  expect((await planned(worktrees, repository)).record.branch).toBe('mine/deadbeef')
  templates.now = { worktreePath: '{nowhere}', worktreeBranch: null }
  const plan = await worktrees.plan({ cwd: repository, name: 'x', sessionId: SESSION })
  expect(plan).toMatchObject({ ok: false, error: { code: 'settings_invalid', field: 'worktreePath' } })
})

test('what is recorded is free of symbolic links', async () => {
  const folder = await temporaryFolder()
  const { repository } = await repositoryIn(folder)
  await mkdir(join(folder, 'real'))
  await symlink(join(folder, 'real'), join(folder, 'link'))
  const worktrees = createGitWorktrees({ home: join(folder, 'link', 'home'), git: createGit(TEST_ENVIRONMENT) })
  const plan = await planned(worktrees, repository)
  const made = await added(worktrees, plan)
  expect(made.record.path).toBe(join(folder, 'real', 'home', 'worktrees', 'r', 'harvest-deadbeef'))
  expect(await worktrees.undo(plan)).toEqual({ ok: true, value: undefined })
  expect(await readdir(join(folder, 'real'))).toEqual([])
})

test.each([
  ['relative', 'r', 'cwd_not_absolute'],
  ['gone', '/nowhere/at/all', 'cwd_missing'],
])('a cwd that is %s is refused', async (_, cwd, code) => {
  const { worktrees } = await worktreesFor()
  expect(await worktrees.plan({ cwd, name: 'x', sessionId: SESSION })).toMatchObject({ ok: false, error: { code } })
})

test('uncommitted files are counted one by one, whatever the user’s settings for status', async () => {
  const { repository } = await repositoryIn(await temporaryFolder())
  await git(repository, 'config', 'status.showUntrackedFiles', 'no')
  await git(repository, 'mv', 'a.txt', 'renamed.txt')
  await mkdir(join(repository, 'new'))
  await writeFile(join(repository, 'new', '1.txt'), '1')
  await writeFile(join(repository, 'new', '2 →\n.txt'), '2')
  const { worktrees } = await worktreesFor()
  expect((await planned(worktrees, repository)).uncommitted).toBe(3)
})

test('looking writes nothing into the repository, not even a refreshed index', async () => {
  const { repository, gitDirectory } = await repositoryIn(await temporaryFolder())
  // Same text, another time: a status that may write would refresh its index.
  await utimes(join(repository, 'a.txt'), 1, 1)
  const index = await readFile(join(gitDirectory, 'index'))
  const { worktrees } = await worktreesFor()
  await planned(worktrees, repository)
  expect((await readFile(join(gitDirectory, 'index'))).equals(index)).toBe(true)
})

test('cancelled before it began: nothing is made', async () => {
  const { repository, gitDirectory } = await repositoryIn(await temporaryFolder())
  const { home, worktrees } = await worktreesFor()
  const before = await traces(gitDirectory, home)
  const plan = await planned(worktrees, repository)
  const made = await worktrees.add(plan, { signal: AbortSignal.abort() })
  expect(made).toMatchObject({ ok: false, error: { code: 'cancelled' } })
  expect(await traces(gitDirectory, home)).toEqual(before)
})

test('cancelled while files are checked out: nothing is left, and what git started has ended', async () => {
  const folder = await temporaryFolder()
  const { repository, gitDirectory } = await repositoryIn(folder)
  await commitFile(repository, '.gitattributes', 'b.txt filter=slow\n')
  await commitFile(repository, 'b.txt', 'text\n')
  await makePipe(join(folder, 'reached'))
  await makePipe(join(folder, 'never'))
  const filter = [`echo >'${folder}/reached'`, `read line <'${folder}/never'`, 'cat']
  await installHook(gitDirectory, 'slow-filter', filter)
  await git(repository, 'config', 'filter.slow.smudge', join(gitDirectory, 'hooks', 'slow-filter'))
  const { home, worktrees } = await worktreesFor()
  const before = await traces(gitDirectory, home)
  const plan = await planned(worktrees, repository)
  const cancel = new AbortController()
  const made = worktrees.add(plan, { signal: cancel.signal })
  await readFile(join(folder, 'reached'))
  cancel.abort()
  expect(await made).toMatchObject({ ok: false, error: { code: 'cancelled' } })
  expect(await traces(gitDirectory, home)).toEqual(before)
})

test('cancelled when git could not take its lock away any more: the branch goes all the same', async () => {
  const folder = await temporaryFolder()
  const { repository, gitDirectory } = await repositoryIn(folder)
  await makePipe(join(folder, 'reached'))
  await makePipe(join(folder, 'never'))
  await installHook(gitDirectory, 'post-checkout', [
    `: >"${gitDirectory}/refs/heads/$(git branch --show-current).lock"`,
    `echo >'${folder}/reached'`,
    `read line <'${folder}/never'`,
  ])
  const { home, worktrees } = await worktreesFor()
  const before = await traces(gitDirectory, home)
  const plan = await planned(worktrees, repository)
  const cancel = new AbortController()
  const made = worktrees.add(plan, { signal: cancel.signal })
  await readFile(join(folder, 'reached'))
  cancel.abort()
  expect(await made).toMatchObject({ ok: false, error: { code: 'cancelled' } })
  expect(await traces(gitDirectory, home)).toEqual(before)
})

test('a checkout that fails: git’s own words, and nothing is left', async () => {
  const { repository, gitDirectory } = await repositoryIn(await temporaryFolder())
  await commitFile(repository, '.gitattributes', 'b.txt filter=broken\n')
  await commitFile(repository, 'b.txt', 'text\n')
  await git(repository, 'config', 'filter.broken.smudge', 'false')
  await git(repository, 'config', 'filter.broken.required', 'true')
  // Written again, so that status has to look into it.
  await writeFile(join(repository, 'b.txt'), 'text\n')
  await utimes(join(repository, 'b.txt'), 1, 1)
  const { home, worktrees } = await worktreesFor()
  const before = await traces(gitDirectory, home)
  const plan = await planned(worktrees, repository)
  // Status needs the filter as well; what it cannot count is told and is no hindrance.
  expect(plan.notes.join()).toContain("clean filter 'broken' failed")
  const made = await worktrees.add(plan)
  expect(made).toMatchObject({ ok: false, error: { code: 'worktree_failed', path: plan.record.path } })
  expect(!made.ok && made.error.message).toContain('b.txt: smudge filter broken failed')
  expect(await traces(gitDirectory, home)).toEqual(before)
})

test('a hook that forbids the branch: its words, and nothing is left', async () => {
  const { repository, gitDirectory } = await repositoryIn(await temporaryFolder())
  await installHook(gitDirectory, 'reference-transaction', ['echo "no branches on Fridays" >&2', 'exit 1'])
  const { home, worktrees } = await worktreesFor()
  const before = await traces(gitDirectory, home)
  const made = await worktrees.add(await planned(worktrees, repository))
  expect(made).toMatchObject({ ok: false, error: { code: 'worktree_failed' } })
  expect(!made.ok && made.error.message).toContain('no branches on Fridays')
  expect(await traces(gitDirectory, home)).toEqual(before)
})

test('a hook that fails and has deleted files: no success, and nothing is left', async () => {
  const { repository, gitDirectory } = await repositoryIn(await temporaryFolder())
  await installHook(gitDirectory, 'post-checkout', ['rm a.txt', 'echo "out of luck" >&2', 'exit 3'])
  const { home, worktrees } = await worktreesFor()
  const before = await traces(gitDirectory, home)
  const made = await worktrees.add(await planned(worktrees, repository))
  expect(made).toMatchObject({ ok: false, error: { code: 'worktree_failed' } })
  expect(!made.ok && made.error.message).toContain('out of luck')
  expect(await traces(gitDirectory, home)).toEqual(before)
})

test('a hook of core.hooksPath: its last words are in the warning, what it says is progress', async () => {
  const { repository } = await repositoryIn(await temporaryFolder())
  await mkdir(join(repository, '.husky'))
  await installHook(join(repository, '.husky'), 'post-checkout', [
    'echo installing things',
    'echo "no network" >&2',
    'exit 1',
  ])
  // Not committed, as with husky: it is in this checkout only, and counts from its root.
  await git(repository, 'config', 'core.hooksPath', '.husky/hooks')
  await mkdir(join(repository, 'sub'))
  const { worktrees } = await worktreesFor()
  const plan = await planned(worktrees, join(repository, 'sub'))
  const told: string[] = []
  const made = await worktrees.add(plan, { onProgress: (sentence) => told.push(sentence) })
  expect(made.ok && made.value.warnings.join()).toContain('post-checkout hook ended with exit code 1')
  expect(made.ok && made.value.warnings.join()).toContain('no network')
  expect(told.some((sentence) => sentence.startsWith('Waiting for the post-checkout hook'))).toBe(true)
})

test('a hook that fills the submodule: nothing is said of empty folders', async () => {
  const folder = await temporaryFolder()
  const { repository, gitDirectory } = await repositoryIn(folder)
  const library = await makeRepository(join(folder, 'lib'))
  await git(repository, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib')
  await git(repository, 'commit', '-qm', 'sub')
  await installHook(gitDirectory, 'post-checkout', [
    'git -c protocol.file.allow=always submodule --quiet update --init',
  ])
  const { home, worktrees } = await worktreesFor()
  const before = await traces(gitDirectory, home)
  const plan = await planned(worktrees, repository)
  const made = await added(worktrees, plan)
  expect(made.warnings).toEqual([])
  expect(existsSync(join(made.record.path, 'lib', 'a.txt'))).toBe(true)
  expect(await worktrees.undo(plan)).toEqual({ ok: true, value: undefined })
  expect(await traces(gitDirectory, home)).toEqual(before)
})

test('a hook that commits: a success with a warning, and no work is thrown away by undo', async () => {
  const { repository, gitDirectory } = await repositoryIn(await temporaryFolder())
  await installHook(gitDirectory, 'post-checkout', ['git commit -q --allow-empty -m "by the hook"'])
  const { worktrees } = await worktreesFor()
  const plan = await planned(worktrees, repository)
  const made = await added(worktrees, plan)
  expect(made.warnings.join()).toContain('moved the new worktree away')
  expect(await worktrees.undo(plan)).toMatchObject({ ok: false, error: { code: 'worktree_failed' } })
  expect(existsSync(made.record.path)).toBe(true)
})

test('a folder that cannot be made: told in words, and nothing is left', async () => {
  const { repository, gitDirectory } = await repositoryIn(await temporaryFolder())
  const { home, worktrees } = await worktreesFor({ worktreePath: '{home}/file/below/{slug}', worktreeBranch: null })
  const plan = await planned(worktrees, repository)
  await writeFile(join(home, 'file'), 'a file where a folder would be')
  const before = await traces(gitDirectory, home)
  expect(await worktrees.add(plan)).toMatchObject({ ok: false, error: { code: 'worktree_failed' } })
  expect(await traces(gitDirectory, home)).toEqual(before)
})

test('folders above the worktree go only if they were made for it and are empty', async () => {
  const { repository } = await repositoryIn(await temporaryFolder())
  const { home, worktrees } = await worktreesFor({ worktreePath: '{home}/a/b/{slug}', worktreeBranch: null })
  await mkdir(join(home, 'a'))
  const first = await planned(worktrees, repository)
  expect(first.newFolder).toBe(join(home, 'a', 'b'))
  await added(worktrees, first)
  await appendFile(join(home, 'a', 'b', 'note.txt'), 'mine\n')
  expect(await worktrees.undo(first)).toEqual({ ok: true, value: undefined })
  expect(await readdir(join(home, 'a', 'b'))).toEqual(['note.txt'])
  await rm(join(home, 'a', 'b'), { recursive: true })
  const second = await planned(worktrees, repository)
  await added(worktrees, second)
  expect(await worktrees.undo(second)).toEqual({ ok: true, value: undefined })
  expect(await readdir(home)).toEqual(['a'])
  expect(await readdir(join(home, 'a'))).toEqual([])
})
