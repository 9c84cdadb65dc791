import { appendFile, rm, truncate, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createGit } from './git.ts'
import { createGitWorktrees } from './git-worktrees.ts'
import { commitFile, git, makeRepository, temporaryFolder, TEST_ENVIRONMENT, traces } from './testing/test-git.ts'
import { added, planned } from './testing/worktree-harness.ts'
import type { WorktreePlan } from './worktree-provider.ts'

/** Undo by another process than the one that made the worktree: the plan is all it has (design §2.6). */

interface Made {
  readonly repository: string
  readonly plan: WorktreePlan
  readonly path: string
  readonly before: object
  readonly now: () => Promise<object>
  readonly undo: () => Promise<{ readonly ok: boolean; readonly message: string }>
}

async function makeWorktree(): Promise<Made> {
  const folder = await temporaryFolder()
  const repository = await makeRepository(join(folder, 'r'))
  await commitFile(repository, 'b/c.txt', 'a line of text that is long enough to be cut\n'.repeat(100))
  await writeFile(join(repository, '.git', 'info', 'exclude'), '*.log\n').catch(() => undefined)
  const home = join(folder, 'home')
  const now = (): Promise<object> => traces(join(repository, '.git'), home)
  const before = await now()
  const provider = createGitWorktrees({ home, git: createGit(TEST_ENVIRONMENT) })
  const plan = await planned(provider, repository)
  const { record } = await added(provider, plan)
  const undo: Made['undo'] = async () => {
    const another = createGitWorktrees({ home, git: createGit(TEST_ENVIRONMENT) })
    const undone = await another.undo({ ...plan })
    return { ok: undone.ok, message: undone.ok ? '' : undone.error.message }
  }
  return { repository, plan, path: record.path, before, now, undo }
}

type Change = (made: Made) => Promise<unknown>

test.each<[string, Change]>([
  ['nothing', () => Promise.resolve()],
  ['files missing', ({ path }) => rm(join(path, 'b'), { recursive: true })],
  ['files staged for removal', ({ path }) => git(path, 'rm', '-q', '-r', 'b')],
  ['a removal that was cut off', ({ path }) => Promise.all([rm(join(path, '.git')), rm(join(path, 'a.txt'))])],
  ['the folder gone', ({ path }) => rm(path, { recursive: true })],
  [
    'a checkout that was cut off: no index, a file missing, another half written',
    async ({ repository, path, plan }) => {
      await rm(join(repository, '.git', 'worktrees', 'harvest-deadbeef', 'index'))
      await rm(join(path, 'a.txt'))
      await truncate(join(path, 'b', 'c.txt'), 1000)
      await writeFile(join(plan.gitDirectory, 'worktrees', 'harvest-deadbeef', 'locked'), 'initializing')
    },
  ],
  [
    'an entry that git had only begun',
    async ({ repository, path }) => {
      await rm(path, { recursive: true })
      await rm(join(repository, '.git', 'worktrees', 'harvest-deadbeef', 'gitdir'))
    },
  ],
])('with %s: everything is removed, and again is no failure', async (_, change) => {
  const made = await makeWorktree()
  await change(made)
  expect(await made.undo()).toEqual({ ok: true, message: '' })
  expect(await made.now()).toEqual(made.before)
  expect(await made.undo()).toEqual({ ok: true, message: '' })
})

test.each<[string, Change, string]>([
  ['a new file', ({ path }) => writeFile(join(path, 'new.txt'), 'mine\n'), 'new.txt'],
  ['a changed file', ({ path }) => appendFile(join(path, 'a.txt'), 'mine\n'), 'a.txt'],
  [
    'a change that is only staged',
    async ({ path }) => {
      await writeFile(join(path, 'a.txt'), 'mine\n')
      await git(path, 'add', '-A')
      await writeFile(join(path, 'a.txt'), 'one\n')
    },
    'a.txt',
  ],
  ['a commit', ({ path }) => commitFile(path, 'new.txt', 'mine\n'), 'it is at commit'],
  [
    'a new file, its link to git gone',
    async ({ path }) => {
      await writeFile(join(path, 'new.txt'), 'mine\n')
      await rm(join(path, '.git'))
    },
    'new.txt',
  ],
  [
    'a new file in a checkout that was cut off',
    async ({ repository, path }) => {
      await rm(join(repository, '.git', 'worktrees', 'harvest-deadbeef', 'index'))
      await truncate(join(path, 'b', 'c.txt'), 1000)
      await writeFile(join(path, 'new.txt'), 'mine\n')
    },
    'new.txt',
  ],
  [
    'a file of another text in a checkout that was cut off',
    async ({ repository, path }) => {
      await rm(join(repository, '.git', 'worktrees', 'harvest-deadbeef', 'index'))
      await writeFile(join(path, 'b', 'c.txt'), 'mine')
    },
    'b/c.txt',
  ],
  [
    'its branch deleted',
    ({ path, plan }) => git(path, 'update-ref', '-d', `refs/heads/${plan.record.branch}`),
    'a branch without a commit',
  ],
  ['another branch', ({ path }) => git(path, 'checkout', '-q', '-b', 'mine'), 'mine'],
  ['a detached HEAD', ({ path }) => git(path, 'checkout', '-q', '--detach'), 'HEAD'],
  ['a lock of somebody’s', ({ path }) => git(path, 'worktree', 'lock', '--reason', 'on a stick', path), 'on a stick'],
  [
    'its entry deleted',
    ({ repository }) => rm(join(repository, '.git', 'worktrees'), { recursive: true }),
    'lost its record',
  ],
])('with %s: it is kept as it is, and told why', async (_, change, why) => {
  const made = await makeWorktree()
  await change(made)
  const before = await made.now()
  const undone = await made.undo()
  expect(undone.ok).toBe(false)
  expect(undone.message).toContain(why)
  expect(undone.message).toContain(made.path)
  expect(await made.now()).toEqual(before)
})

test('a branch that went on without the worktree is kept and is no failure', async () => {
  const made = await makeWorktree()
  await commitFile(made.path, 'new.txt', 'mine\n')
  const tip = await git(made.path, 'rev-parse', 'HEAD')
  await git(made.repository, 'worktree', 'remove', made.path)
  expect(await made.undo()).toEqual({ ok: true, message: '' })
  expect(await git(made.repository, 'rev-parse', made.plan.record.branch)).toBe(tip)
})

test('a branch moved away and back has been somebody’s: it is kept', async () => {
  const made = await makeWorktree()
  await git(made.path, 'commit', '-q', '--allow-empty', '-m', 'mine')
  await git(made.path, 'reset', '-q', '--hard', 'HEAD~1')
  const undone = await made.undo()
  expect(undone).toMatchObject({ ok: false })
  expect(undone.message).toContain('branch treeline/harvest-deadbeef was kept')
  expect(existsSync(made.path)).toBe(false)
  expect(await git(made.repository, 'rev-parse', made.plan.record.branch)).toBe(`${made.plan.record.base}\n`)
})

test('a branch of that name that somebody else made is not ours to remove', async () => {
  const made = await makeWorktree()
  const { branch, base } = made.plan.record
  await git(made.repository, 'worktree', 'remove', made.path)
  await git(made.repository, 'branch', '-D', branch)
  await git(made.repository, 'branch', branch, base)
  expect(await made.undo()).toEqual({ ok: true, message: '' })
  expect(await git(made.repository, 'rev-parse', branch)).toBe(`${base}\n`)
})

test('a worktree that somebody moved is theirs', async () => {
  const made = await makeWorktree()
  const elsewhere = join(made.repository, '..', 'elsewhere')
  await git(made.repository, 'worktree', 'move', made.path, elsewhere)
  expect(await made.undo()).toEqual({ ok: true, message: '' })
  expect(await git(elsewhere, 'symbolic-ref', '--short', 'HEAD')).toBe(`${made.plan.record.branch}\n`)
})

test('with the repository gone, files are kept and an absent folder is no failure', async () => {
  const made = await makeWorktree()
  await rm(made.repository, { recursive: true })
  expect((await made.undo()).message).toContain(`repository ${made.repository} is not there`)
  expect(existsSync(join(made.path, 'a.txt'))).toBe(true)
  await rm(made.path, { recursive: true })
  expect(await made.undo()).toEqual({ ok: true, message: '' })
})

test('what else stands in its place is left alone', async () => {
  const made = await makeWorktree()
  await git(made.repository, 'worktree', 'remove', made.path)
  await writeFile(made.path, 'a file\n')
  const undone = await made.undo()
  expect(undone.message).toContain('something that is no folder')
  expect(existsSync(made.path)).toBe(true)
})
