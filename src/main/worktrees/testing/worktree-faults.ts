import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { worktreeState } from '../folder-state.ts'
import { findRepository } from '../repository.ts'
import type { WorktreeTemplates } from '../worktree-policy.ts'
import type { OddRepository } from './odd-repositories.ts'
import { git, traces } from './test-git.ts'
import { added, expectWorktree, planned, SESSION, worktreesFor } from './worktree-harness.ts'

const IN_SLUG: WorktreeTemplates = { worktreePath: null, worktreeBranch: '{slug}' }

/**
 * The tests of the field faults F11, F12, F16, F17 and F18 over odd repositories.
 * @param open gives the folder in which a shape lies under its name
 */
export function testWorktreeFaults(open: (shape: OddRepository) => Promise<string>): void {
  test('a plain repository: the default policy names folder and branch, and undo leaves nothing', async () => {
    const out = await open('plain')
    const { home, worktrees } = await worktreesFor()
    const before = await traces(join(out, 'plain', '.git'), home)
    const plan = await planned(worktrees, join(out, 'plain'))
    expect(plan.record).toEqual({
      path: join(home, 'worktrees', 'plain', 'harvest-deadbeef'),
      branch: 'treeline/harvest-deadbeef',
      base: (await git(join(out, 'plain'), 'rev-parse', 'main')).trim(),
      repository: join(out, 'plain'),
    })
    expect(await traces(join(out, 'plain', '.git'), home)).toEqual(before)
    await expectWorktree(await added(worktrees, plan))
    expect(await worktrees.undo(plan)).toEqual({ ok: true, value: undefined })
    expect(await traces(join(out, 'plain', '.git'), home)).toEqual(before)
  })

  describe('F12: names and paths that clash', () => {
    test.each([
      ['branch-taken', 'harvest', 'harvest-2'],
      ['branch-in-use', 'harvest', 'harvest-2'],
      ['prefix-below', 'harvest', 'harvest-2'],
      ['prefix-above', 'winter', 'harvest-winter'],
      ['case-clash', 'two', 'harvest-two'],
    ] as const)('%s: asked for %s, a free name is chosen', async (shape, name, branch) => {
      const out = await open(shape)
      const below = shape === 'prefix-above' || shape === 'case-clash'
      const { worktrees } = await worktreesFor(below ? { ...IN_SLUG, worktreeBranch: 'harvest/{slug}' } : IN_SLUG)
      const refs = await git(join(out, shape), 'for-each-ref')
      const plan = await planned(worktrees, join(out, shape), name)
      expect(plan.record.branch).toBe(branch)
      expect(plan.notes.length).toBe(below ? 1 : 0)
      await expectWorktree(await added(worktrees, plan))
      expect(await worktrees.undo(plan)).toMatchObject({ ok: true })
      expect(await git(join(out, shape), 'for-each-ref')).toBe(refs)
    })

    test('a branch called treeline keeps the default names from being made, so they are flattened and told', async () => {
      const out = await open('plain')
      await git(join(out, 'plain'), 'branch', '-f', 'treeline')
      const { worktrees } = await worktreesFor()
      const plan = await planned(worktrees, join(out, 'plain'))
      expect(plan.record.branch).toBe('treeline-harvest-deadbeef')
      expect(plan.notes.join()).toContain('treeline/harvest-deadbeef')
      await expectWorktree(await added(worktrees, plan))
      expect(await worktrees.undo(plan)).toMatchObject({ ok: true })
      await git(join(out, 'plain'), 'branch', '-D', 'treeline')
    })

    test.each(['My Projects/果园 ü', '-leading-dash', 'deep'] as const)('%s works', async (shape) => {
      const out = await open(shape)
      const { worktrees } = await worktreesFor()
      const plan = await planned(worktrees, join(out, shape), '-果园 ü/..\n')
      await expectWorktree(await added(worktrees, plan))
      expect(await worktrees.undo(plan)).toMatchObject({ ok: true })
    })

    test('target-taken: what is in the folder survives, another is used', async () => {
      const out = await open('target-taken')
      const { worktrees } = await worktreesFor({ worktreePath: `${out}/{repository}-{slug}`, worktreeBranch: null })
      const plan = await planned(worktrees, join(out, 'target-taken'), 'worktree')
      expect(plan.record.path).toBe(join(out, 'target-taken-worktree-2'))
      await expectWorktree(await added(worktrees, plan))
      expect(await worktrees.undo(plan)).toMatchObject({ ok: true })
      expect(await readFile(join(out, 'target-taken-worktree', 'keep.txt'), 'utf8')).toBe('keep\n')
    })

    test('deep: a path near the limit is refused beforehand, and nothing is left', async () => {
      const out = await open('deep')
      const long = Array.from({ length: 19 }, () => 'd'.repeat(200)).join('/')
      const { home, worktrees } = await worktreesFor({ worktreePath: `{home}/${long}/{slug}`, worktreeBranch: null })
      const before = await traces(join(out, 'deep', '.git'), home)
      const plan = await worktrees.plan({ cwd: join(out, 'deep'), name: 'x', sessionId: SESSION })
      expect(plan).toMatchObject({ ok: false, error: { code: 'path_too_long' } })
      expect(await traces(join(out, 'deep', '.git'), home)).toEqual(before)
    })
  })

  describe('F11: changed from outside', () => {
    test.each([
      ['removed-outside', 'missing'],
      ['moved-outside', 'missing'],
      ['unlinked-outside', 'missing'],
    ] as const)('%s: the worktree is %s, a new one works, and the stale entry is left alone', async (shape, state) => {
      const out = await open(shape)
      expect(await worktreeState({ path: join(out, `${shape}-w1`) })).toBe(state)
      const { home, worktrees } = await worktreesFor()
      const before = await traces(join(out, shape, '.git'), home)
      const plan = await planned(worktrees, join(out, shape), 'w1')
      await expectWorktree(await added(worktrees, plan))
      expect(await worktrees.undo(plan)).toMatchObject({ ok: true })
      expect(await traces(join(out, shape, '.git'), home)).toEqual(before)
    })

    test('removed-outside: its place is not taken again while git has it registered', async () => {
      const out = await open('removed-outside')
      const { worktrees } = await worktreesFor({ worktreePath: `${out}/{repository}-{slug}`, worktreeBranch: null })
      const plan = await planned(worktrees, join(out, 'removed-outside'), 'w1')
      expect(plan.record.path).toBe(join(out, 'removed-outside-w1-2'))
    })

    test('unlinked-outside: a fork from the unlinked folder is refused in words, its group stays', async () => {
      const out = await open('unlinked-outside')
      const { worktrees } = await worktreesFor()
      const cwd = join(out, 'unlinked-outside-w1')
      const plan = await worktrees.plan({ cwd, name: 'x', sessionId: SESSION })
      expect(plan).toMatchObject({ ok: false, error: { code: 'not_a_repository' } })
      expect((await findRepository(cwd))?.repository).toBe(join(out, 'unlinked-outside'))
    })
  })

  describe('F16: hooks', () => {
    test('hook-fails: success with a warning that has the exit code', async () => {
      const out = await open('hook-fails')
      const { worktrees } = await worktreesFor()
      const plan = await planned(worktrees, join(out, 'hook-fails'))
      const made = await added(worktrees, plan)
      expect(made.warnings).toHaveLength(1)
      expect(made.warnings[0]).toContain('post-checkout hook ended with exit code 141')
      await expectWorktree(made)
      expect(await worktrees.undo(plan)).toMatchObject({ ok: true })
    })

    test('hook-works: its file is there, is no work of anyone, and goes with the undo', async () => {
      const out = await open('hook-works')
      const { home, worktrees } = await worktreesFor()
      const before = await traces(join(out, 'hook-works', '.git'), home)
      const plan = await planned(worktrees, join(out, 'hook-works'))
      const made = await added(worktrees, plan)
      expect(made.warnings).toEqual([])
      expect(await readFile(join(made.record.path, '.from-hook'), 'utf8')).toBe('linked\n')
      expect(await worktrees.undo(plan)).toMatchObject({ ok: true })
      expect(await traces(join(out, 'hook-works', '.git'), home)).toEqual(before)
    })

    test('hook-works: once changed by somebody, the file keeps the worktree', async () => {
      const out = await open('hook-works')
      const { worktrees } = await worktreesFor()
      const plan = await planned(worktrees, join(out, 'hook-works'))
      const made = await added(worktrees, plan)
      await writeFile(join(made.record.path, '.from-hook'), 'mine\n')
      const undone = await worktrees.undo(plan)
      expect(undone).toMatchObject({ ok: false, error: { code: 'worktree_failed' } })
      expect(!undone.ok && undone.error.message).toContain('.from-hook')
      await expectWorktree(made)
    })

    test('hook-slow: progress tells what is waited for, and cancelling leaves nothing', async () => {
      const out = await open('hook-slow')
      const { home, worktrees } = await worktreesFor()
      const before = await traces(join(out, 'hook-slow', '.git'), home)
      const plan = await planned(worktrees, join(out, 'hook-slow'))
      const cancel = new AbortController()
      const told: string[] = []
      const made = await worktrees.add(plan, {
        signal: cancel.signal,
        onProgress: (sentence) => {
          told.push(sentence)
          if (sentence.startsWith('Waiting for the post-checkout hook')) cancel.abort()
        },
      })
      expect(made).toMatchObject({ ok: false, error: { code: 'cancelled' } })
      expect(told).toContain('Checking out files: 100%')
      expect(await traces(join(out, 'hook-slow', '.git'), home)).toEqual(before)
      expect(await worktrees.undo(plan)).toMatchObject({ ok: true })
    })
  })

  describe('F17: unusual repositories', () => {
    test.each([
      ['bare-home', 'bare-home', 'bare-home', 'bare-home'],
      ['bare-home', 'bare-home/main', 'bare-home', 'bare-home'],
      ['bare-home', 'bare-home/.bare', 'bare-home', 'bare-home'],
      ['only-bare.git', 'only-bare.git', 'only-bare.git', 'only-bare'],
      ['outer', 'outer/inner', 'outer/inner', 'inner'],
      ['with-submodule', 'with-submodule', 'with-submodule', 'with-submodule'],
      ['with-submodule', 'with-submodule/lib', 'with-submodule/lib', 'lib'],
      ['from-worktree', 'from-worktree-w1', 'from-worktree', 'from-worktree'],
      ['subfolder', 'subfolder/pkg/app', 'subfolder', 'subfolder'],
    ] as const)('%s: from %s the repository %s is used', async (shape, cwd, repository, name) => {
      const out = await open(shape)
      const { home, worktrees } = await worktreesFor()
      const plan = await planned(worktrees, join(out, cwd))
      expect(plan.record.repository).toBe(join(out, repository))
      expect(plan.record.path).toBe(join(home, 'worktrees', name, 'harvest-deadbeef'))
      expect(plan.record.base).toBe((await git(join(out, cwd), 'rev-parse', 'HEAD')).trim())
      const before = await traces(plan.gitDirectory, home)
      const made = await added(worktrees, plan)
      await expectWorktree(made)
      // Grouping: from the new worktree and from the session's own cwd the same answer, without git.
      expect((await findRepository(made.record.path))?.repository).toBe(plan.record.repository)
      expect((await findRepository(join(out, cwd)))?.repository).toBe(plan.record.repository)
      expect(await worktrees.undo(plan)).toMatchObject({ ok: true })
      expect(await traces(plan.gitDirectory, home)).toEqual(before)
    })

    test('with-submodule: the empty folder is told, before and after', async () => {
      const out = await open('with-submodule')
      const { worktrees } = await worktreesFor()
      const plan = await planned(worktrees, join(out, 'with-submodule'))
      expect(plan.notes.join()).toContain('submodule folder lib will be empty')
      expect((await added(worktrees, plan)).warnings.join()).toContain('submodule folder lib will be empty')
      expect(await worktrees.undo(plan)).toMatchObject({ ok: true })
    })

    test.each([
      ['from-worktree', 'from-worktree-w1', 'from-worktree-w1'],
      ['from-worktree', 'from-worktree-w1', 'from-worktree'],
      ['only-bare.git', 'only-bare.git', 'only-bare.git'],
    ] as const)('%s: no worktree inside another of the same repository', async (shape, cwd, around) => {
      const out = await open(shape)
      const { worktrees } = await worktreesFor({ worktreePath: `${out}/${around}/w/{slug}`, worktreeBranch: null })
      const plan = await worktrees.plan({ cwd: join(out, cwd), name: 'x', sessionId: SESSION })
      expect(plan).toMatchObject({ ok: false, error: { code: 'settings_invalid', field: 'worktreePath' } })
    })
  })

  describe('F18: nothing to start from, or the wrong start', () => {
    test.each([
      ['no-commits', 'no_commits'],
      ['not-git', 'not_a_repository'],
    ] as const)('%s: %s, in words', async (shape, code) => {
      const out = await open(shape)
      const { worktrees } = await worktreesFor()
      const plan = await worktrees.plan({ cwd: join(out, shape), name: 'x', sessionId: SESSION })
      expect(plan).toMatchObject({ ok: false, error: { code, path: join(out, shape) } })
    })

    test('detached: starts at the commit checked out, not at the branch', async () => {
      const out = await open('detached')
      const { worktrees } = await worktreesFor()
      const plan = await planned(worktrees, join(out, 'detached'))
      expect(plan.startsAt.label).toBe('detached')
      const made = await added(worktrees, plan)
      expect(await readFile(join(made.record.path, 'a.txt'), 'utf8')).toBe('one\n')
      expect(await worktrees.undo(plan)).toMatchObject({ ok: true })
    })

    test('ahead-of-default: the parent’s commits come along', async () => {
      const out = await open('ahead-of-default')
      const { worktrees } = await worktreesFor()
      const plan = await planned(worktrees, join(out, 'ahead-of-default'))
      expect(plan.startsAt.label).toBe('work')
      const made = await added(worktrees, plan)
      expect(await readFile(join(made.record.path, 'work.txt'), 'utf8')).toBe('work\n')
      expect(await worktrees.undo(plan)).toMatchObject({ ok: true })
    })

    test('dirty: uncommitted work is counted, stays, and does not come along', async () => {
      const out = await open('dirty')
      const { worktrees } = await worktreesFor()
      const plan = await planned(worktrees, join(out, 'dirty'))
      expect(plan.uncommitted).toBe(2)
      const made = await added(worktrees, plan)
      expect(existsSync(join(made.record.path, 'untracked.txt'))).toBe(false)
      expect(await readFile(join(made.record.path, 'a.txt'), 'utf8')).toBe('one\n')
      expect(await readFile(join(out, 'dirty', 'a.txt'), 'utf8')).toBe('one\nchanged\n')
      expect(await git(join(out, 'dirty'), 'status', '--porcelain')).toBe(' M a.txt\n?? untracked.txt\n')
      expect(await worktrees.undo(plan)).toMatchObject({ ok: true })
    })

    test('mid-rebase: works from where it stands, and says so', async () => {
      const out = await open('mid-rebase')
      const { worktrees } = await worktreesFor()
      const status = await git(join(out, 'mid-rebase'), 'status')
      const plan = await planned(worktrees, join(out, 'mid-rebase'))
      expect(plan.notes.join()).toContain('A rebase is under way')
      expect(plan.uncommitted).toBe(1)
      await expectWorktree(await added(worktrees, plan))
      expect(await worktrees.undo(plan)).toMatchObject({ ok: true })
      expect(await git(join(out, 'mid-rebase'), 'status')).toBe(status)
    })
  })
}
