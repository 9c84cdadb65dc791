import { mkdir, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fail } from '../../shared/result.ts'
import type { SessionId } from '../../shared/session-id.ts'
import { toolError } from '../../shared/tool-error.ts'
import { createGit } from '../worktrees/git.ts'
import { createGitWorktrees } from '../worktrees/git-worktrees.ts'
import {
  commitFile,
  git,
  installHook,
  makeRepository,
  TEST_ENVIRONMENT,
  traces,
} from '../worktrees/testing/test-git.ts'
import type { WorktreeProvider } from '../worktrees/worktree-provider.ts'
import {
  HOST,
  idOf,
  linesOf,
  makeChild,
  makeMain,
  makeTestHome,
  session,
  valueOf,
  type TestHome,
} from './testing/test-home.ts'
import { createTools } from './tools.ts'

let home: TestHome
let worktrees: WorktreeProvider
let main: SessionId

beforeEach(async () => {
  home = await makeTestHome({
    plan: (request) => worktrees.plan(request),
    add: (plan, options) => worktrees.add(plan, options),
    undo: (plan) => worktrees.undo(plan),
  })
  worktrees = createGitWorktrees({ home: home.paths.home, git: createGit(TEST_ENVIRONMENT) })
  await makeRepository(home.cwd)
  main = await makeMain(home)
})
afterEach(() => home.remove())

const request = { prompt: 'Sieve the seeds', title: 'Sieve', fork: true, worktree: true }

/** Everything a failed creation could leave: in git, beside it, among the intents, in the tree. */
async function everything(): Promise<object> {
  const names = await readdir(home.paths.home, { recursive: true })
  return { git: await traces(join(home.cwd, '.git')), home: names.toSorted() }
}

describe('a fork in a worktree', () => {
  it('stands where the provider put it, on a branch of its own, from the commit checked out', async () => {
    await git(home.cwd, 'checkout', '-q', '-b', 'ahead')
    await commitFile(home.cwd, 'work.txt', 'more\n')
    const made = valueOf(await home.tools.session_create(request, session(main)))
    expect(made).toEqual({
      session_id: made.session_id,
      kind: 'fork',
      accepted: true,
      status: 'queued',
      parent_session_id: main,
      root_session_id: main,
      cwd: made.worktree,
      worktree: expect.any(String),
    })
    const { worktree = '' } = made
    // Git itself says so.
    expect((await git(worktree, 'rev-parse', '--show-toplevel')).trim()).toBe(await realpath(worktree))
    expect(await git(worktree, 'rev-parse', 'HEAD')).toBe(await git(home.cwd, 'rev-parse', 'HEAD'))
    expect(await readFile(join(worktree, 'work.txt'), 'utf8')).toBe('more\n')
    const branch = (await git(worktree, 'branch', '--show-current')).trim()
    expect(branch).not.toBe('ahead')

    const { logPath } = valueOf(await home.tree.locate(idOf(made.session_id)))
    expect(logPath.startsWith(home.paths.tree)).toBe(true)
    const [header] = linesOf(await readFile(logPath, 'utf8'))
    const base = (await git(home.cwd, 'rev-parse', 'HEAD')).trim()
    expect(header).toMatchObject({ cwd: worktree, worktree: { path: worktree, branch, base } })
    const { tree } = valueOf(await home.tools.session_status({ session_id: made.session_id }, HOST))
    expect(tree).toMatchObject({ worktree, cwd: worktree, title: 'Sieve' })
    expect(await readdir(home.paths.pending)).toEqual([])
  })

  it('is of the repository of the folder that is asked for; its own folder is the root of the worktree', async () => {
    const other = await makeRepository(join(home.cwd, '..', 'other'))
    await commitFile(other, 'pkg/b.txt', 'b\n')
    const before = await traces(join(home.cwd, '.git'))
    const made = valueOf(await home.tools.session_create({ ...request, cwd: join(other, 'pkg') }, session(main)))
    expect(made.cwd).toBe(made.worktree)
    expect(await readFile(join(made.cwd, 'pkg', 'b.txt'), 'utf8')).toBe('b\n')
    expect(await traces(join(home.cwd, '.git'))).toEqual(before)
  })

  it('is one of its own for each, also for the same title at once', async () => {
    const made = await Promise.all(Array.from({ length: 3 }, () => home.tools.session_create(request, session(main))))
    const all = made.map(valueOf)
    expect(new Set(all.map(({ worktree }) => worktree)).size).toBe(3)
    const branches = await Promise.all(all.map(({ cwd }) => git(cwd, 'branch', '--show-current')))
    expect(new Set(branches).size).toBe(3)
  })

  it('has helpers that work in it without one of their own', async () => {
    const fork = valueOf(await home.tools.session_create(request, session(main)))
    const before = await traces(join(home.cwd, '.git'))
    const helper = await makeChild(home, idOf(fork.session_id))
    expect(helper.cwd).toBe(fork.worktree)
    expect(helper).not.toHaveProperty('worktree')
    expect(await traces(join(home.cwd, '.git'))).toEqual(before)
  })

  it('says that uncommitted work stays, and that a hook failed, beside its result', async () => {
    await writeFile(join(home.cwd, 'draft.txt'), 'draft')
    await installHook(join(home.cwd, '.git'), 'post-checkout', ['echo no >&2', 'exit 3'])
    const warnings: string[] = []
    const progress: string[] = []
    valueOf(
      await home.tools.session_create(request, session(main), {
        onWarning: (sentence) => warnings.push(sentence),
        onProgress: (sentence) => progress.push(sentence),
      }),
    )
    expect(warnings).toEqual([expect.stringContaining('1 file'), expect.stringContaining('post-checkout')])
    expect(progress.join()).not.toContain('1 file')
    // Who listens to one thing only hears both.
    valueOf(await home.tools.session_create(request, session(main), { onProgress: (said) => progress.push(said) }))
    expect(progress.join('\n')).toContain(warnings[0])
  })
})

describe('a fork in a worktree that fails', () => {
  it('because the folder is in no repository, leaves nothing', async () => {
    const plain = join(home.cwd, '..', 'plain')
    await mkdir(plain)
    const before = await everything()
    const refused = await home.tools.session_create({ ...request, cwd: plain }, session(main))
    expect(refused).toMatchObject({ ok: false, error: { code: 'not_a_repository' } })
    expect(await everything()).toEqual(before)
    expect(
      await home.tools.session_create({ prompt: 'In place', fork: true, cwd: plain }, session(main)),
    ).toMatchObject({ ok: true })
  })

  it('because the session cannot be published, removes directory, entry and branch', async () => {
    // A file where the folder of the forks should be.
    await writeFile(join(home.paths.tree, main, 'forks'), '')
    await mkdir(home.paths.pending, { recursive: true })
    const before = await everything()
    const refused = await home.tools.session_create(request, session(main))
    expect(refused).toMatchObject({ ok: false, error: { code: 'io_failed' } })
    expect(await everything()).toEqual(before)
    await rm(join(home.paths.tree, main, 'forks'))
    expect(await home.tools.session_create(request, session(main))).toMatchObject({ ok: true })
  })

  it('because of a fault of our own, removes them too', async () => {
    await mkdir(home.paths.pending, { recursive: true })
    const before = await everything()
    const tree = { ...home.tree, create: () => Promise.reject(new Error('a bug')) }
    const tools = createTools({ tree, worktrees, pendingFolder: home.paths.pending })
    await expect(tools.session_create(request, session(main))).rejects.toThrow('a bug')
    expect(await everything()).toEqual(before)
  })

  it('because it is cancelled while it checks out, leaves nothing', async () => {
    await mkdir(home.paths.pending, { recursive: true })
    const before = await everything()
    const abort = new AbortController()
    await installHook(join(home.cwd, '.git'), 'post-checkout', ['exec sleep 60'])
    const cancelled = home.tools.session_create(request, session(main), {
      signal: abort.signal,
      onProgress: () => abort.abort(),
    })
    expect(await cancelled).toMatchObject({ ok: false, error: { code: 'cancelled' } })
    expect(await everything()).toEqual(before)
  })

  it('keeps its intent where the worktree cannot be removed, and says so', async () => {
    await writeFile(join(home.paths.tree, main, 'forks'), '')
    const stuck: WorktreeProvider = {
      ...worktrees,
      undo: async () => fail(toolError('worktree_failed', 'The folder is in use.')),
    }
    const tools = createTools({ tree: home.tree, worktrees: stuck, pendingFolder: home.paths.pending })
    const refused = await tools.session_create(request, session(main))
    expect(refused).toMatchObject({
      ok: false,
      error: { code: 'io_failed', message: expect.stringContaining('The folder is in use.') },
    })
    expect(await readdir(home.paths.pending)).toHaveLength(1)
  })
})
