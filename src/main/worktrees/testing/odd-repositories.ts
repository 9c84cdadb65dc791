import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { commitFile, git, installHook, makePipe, makeRepository } from './test-git.ts'

/**
 * Small repositories for the worktree faults F11, F12 and F16 to F18, each made on demand: the same names and shapes as
 * the fault fixtures' make-repos.sh, which a clone of the project does not have. A maker gets a new folder and puts one
 * shape in it.
 */
type Maker = (out: string) => Promise<unknown>

const plain =
  (name: string): Maker =>
  (out) =>
    makeRepository(join(out, name))

const withBranch =
  (name: string, branch: string): Maker =>
  async (out) =>
    git(await makeRepository(join(out, name)), 'branch', branch)

const withWorktree =
  (name: string, branch: string, folder: string): Maker =>
  async (out) =>
    git(await makeRepository(join(out, name)), 'worktree', 'add', '-q', '-b', branch, join(out, folder))

const withHook =
  (name: string, lines: readonly string[]): Maker =>
  async (out) =>
    installHook(join(await makeRepository(join(out, name)), '.git'), 'post-checkout', lines)

export const ODD_REPOSITORIES = {
  plain: plain('plain'),
  dirty: async (out) => {
    const repository = await makeRepository(join(out, 'dirty'))
    await appendFile(join(repository, 'a.txt'), 'changed\n')
    await writeFile(join(repository, 'untracked.txt'), 'new\n')
  },

  // F12: names
  'branch-taken': withBranch('branch-taken', 'harvest'),
  'branch-in-use': withWorktree('branch-in-use', 'harvest', 'branch-in-use-other'),
  'prefix-below': withBranch('prefix-below', 'harvest/2026.4'),
  'prefix-above': withBranch('prefix-above', 'harvest'),
  'case-clash': withBranch('case-clash', 'Harvest/one'),
  'My Projects/果园 ü': plain('My Projects/果园 ü'),
  '-leading-dash': plain('-leading-dash'),
  deep: async (out) => {
    const repository = await makeRepository(join(out, 'deep'))
    await commitFile(repository, join('a'.repeat(60), 'b'.repeat(60), 'c'.repeat(60), `${'n'.repeat(60)}.txt`), 'x\n')
  },
  'target-taken': async (out) => {
    await makeRepository(join(out, 'target-taken'))
    await mkdir(join(out, 'target-taken-worktree'))
    await writeFile(join(out, 'target-taken-worktree', 'keep.txt'), 'keep\n')
  },

  // F11: changed from outside
  'removed-outside': async (out) => {
    await withWorktree('removed-outside', 'w1', 'removed-outside-w1')(out)
    await rm(join(out, 'removed-outside-w1'), { recursive: true })
  },
  'moved-outside': async (out) => {
    await withWorktree('moved-outside', 'w1', 'moved-outside-w1')(out)
    const from = join(out, 'moved-outside-w1')
    await git(join(out, 'moved-outside'), 'worktree', 'move', from, join(out, 'moved-outside-new'))
  },
  'unlinked-outside': async (out) => {
    await withWorktree('unlinked-outside', 'w1', 'unlinked-outside-w1')(out)
    await rm(join(out, 'unlinked-outside', '.git', 'worktrees'), { recursive: true })
  },

  // F16: hooks
  'hook-fails': withHook('hook-fails', ['exit 141']),
  // Twenty seconds in the fixtures; here until it is ended.
  'hook-slow': async (out) => {
    await makePipe(join(out, 'hook-slow-pipe'))
    await withHook('hook-slow', [`read line <'${join(out, 'hook-slow-pipe')}'`])(out)
  },
  'hook-works': withHook('hook-works', ['echo linked >.from-hook']),

  // F17: shapes
  'bare-home': async (out) => {
    const seed = await makeRepository(join(out, 'seed'))
    await git(out, 'clone', '-q', '--bare', seed, join(out, 'bare-home', '.bare'))
    await writeFile(join(out, 'bare-home', '.git'), 'gitdir: ./.bare\n')
    await git(join(out, 'bare-home'), 'worktree', 'add', '-q', join(out, 'bare-home', 'main'), 'main')
  },
  'only-bare.git': async (out) => {
    const seed = await makeRepository(join(out, 'seed'))
    await git(out, 'clone', '-q', '--bare', seed, join(out, 'only-bare.git'))
  },
  outer: async (out) => {
    await makeRepository(join(out, 'outer'))
    await makeRepository(join(out, 'outer', 'inner'))
    await writeFile(join(out, 'outer', '.gitignore'), 'inner\n')
  },
  'with-submodule': async (out) => {
    const library = await makeRepository(join(out, 'lib'))
    const repository = await makeRepository(join(out, 'with-submodule'))
    await git(repository, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib')
    await git(repository, 'commit', '-qm', 'sub')
  },
  'from-worktree': withWorktree('from-worktree', 'w1', 'from-worktree-w1'),
  subfolder: async (out) => {
    await commitFile(await makeRepository(join(out, 'subfolder')), 'pkg/app/b.txt', 'y\n')
  },

  // F18: nothing to start from, or the wrong start
  'no-commits': async (out) => {
    await mkdir(join(out, 'no-commits'))
    await git(join(out, 'no-commits'), 'init', '-q', '-b', 'main')
  },
  'not-git': async (out) => {
    await mkdir(join(out, 'not-git'))
    await writeFile(join(out, 'not-git', 'z.txt'), 'z\n')
  },
  detached: async (out) => {
    const repository = await makeRepository(join(out, 'detached'))
    await commitFile(repository, 'a.txt', 'one\ntwo\n')
    await git(repository, 'checkout', '-q', '--detach', 'HEAD~1')
  },
  'ahead-of-default': async (out) => {
    const remote = await makeRepository(join(out, 'remote'))
    await git(out, 'clone', '-q', remote, join(out, 'ahead-of-default'))
    await git(join(out, 'ahead-of-default'), 'checkout', '-q', '-b', 'work')
    await commitFile(join(out, 'ahead-of-default'), 'work.txt', 'work\n')
  },
  'mid-rebase': async (out) => {
    const repository = await makeRepository(join(out, 'mid-rebase'))
    await git(repository, 'checkout', '-q', '-b', 'other')
    await commitFile(repository, 'a.txt', 'o\n')
    await git(repository, 'checkout', '-q', 'main')
    await commitFile(repository, 'a.txt', 'm\n')
    // It stops at the conflict, which is the shape wanted.
    await git(repository, 'rebase', 'other').catch(() => undefined)
  },
} satisfies Record<string, Maker>

export type OddRepository = keyof typeof ODD_REPOSITORIES
