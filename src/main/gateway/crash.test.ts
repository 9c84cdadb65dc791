import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SessionTreeView } from '../../shared/tools.ts'
import { HOST, makeMain, makeTestHome, session, valueOf, type TestHome } from '../tools/testing/test-home.ts'
import { git, installHook, makeRepository, TEST_ENVIRONMENT } from '../worktrees/testing/test-git.ts'
import { openHome, type HomeHost } from './home-host.ts'
import { DYING_POINTS } from './testing/creation-that-dies.ts'

const PROGRAM = join(import.meta.dirname, 'testing', 'creation-that-dies.ts')

let home: TestHome
let main: string
let survivor: string

async function open(): Promise<HomeHost> {
  return valueOf(await openHome({ paths: home.paths, app: 'command line', serve: false }))
}

beforeEach(async () => {
  home = await makeTestHome()
  await makeRepository(home.cwd)
  // What dies in its hook is the creation, not git: git would take that for a hook that failed.
  await installHook(join(home.cwd, '.git'), 'post-checkout', ['[ -z "$CREATION_PID" ] || kill -9 "$CREATION_PID"'])
  main = await makeMain(home)
  const host = await open()
  const made = await host.tools.session_create({ prompt: 'Stay', fork: true, worktree: true }, session(main))
  survivor = valueOf(made).session_id
  await host.close()
})
afterEach(() => home.remove())

/** Every worktree by each of those who know of one: they must say the same. */
async function accounts(host: HomeHost): Promise<Record<string, readonly string[]>> {
  const { tree } = valueOf(await host.tools.session_status({ session_id: main }, HOST))
  const sessions = tree.forks.flatMap(({ worktree }: SessionTreeView) => worktree ?? [])
  const listed = await git(home.cwd, 'worktree', 'list', '--porcelain')
  const registered = listed
    .split('\n')
    .filter((line) => line.startsWith('worktree '))
    .map((line) => line.slice(9))
  const folders = await readdir(join(home.paths.worktrees, 'project')).catch(() => [])
  return {
    sessions: sessions.toSorted(),
    registered: registered.filter((path) => path !== home.cwd).toSorted(),
    folders: folders.map((name) => join(home.paths.worktrees, 'project', name)).toSorted(),
    branches: (await git(home.cwd, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/treeline'))
      .split('\n')
      .filter((name) => name !== '')
      .map((name) => join(home.paths.worktrees, 'project', name.replace('treeline/', '')))
      .toSorted(),
    pending: await readdir(home.paths.pending),
    unpublished: (await readdir(home.paths.tree, { recursive: true })).filter((name) => /(^|\/)\./.test(name)),
  }
}

describe('a creation that is killed', () => {
  it.each(DYING_POINTS)('%s leaves both session and worktree, or neither', async (point) => {
    const dying = spawn(process.execPath, [PROGRAM, home.paths.home, main, point], {
      env: TEST_ENVIRONMENT,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    await once(dying, 'exit')
    expect(dying.signalCode).toBe('SIGKILL')

    const host = await open()
    const published = point === 'after the create' || point === 'after the clear'
    const seen = await accounts(host)
    expect(seen['sessions']).toHaveLength(published ? 2 : 1)
    expect(seen).toEqual({
      sessions: seen['sessions'],
      registered: seen['sessions'],
      folders: seen['sessions'],
      branches: seen['sessions'],
      pending: [],
      unpublished: [],
    })
    const interrupted = !published && point !== 'after the plan'
    expect(host.reports).toEqual(interrupted ? [expect.stringContaining('interrupted')] : [])
    // What was whole is untouched, and the home is as good as new.
    const { tree } = valueOf(await host.tools.session_status({ session_id: survivor }, HOST))
    expect(tree).toMatchObject({ status: 'cold', kind: 'fork' })
    expect(await git(tree.worktree ?? '', 'status', '--porcelain')).toBe('')
    const again = await host.tools.session_create({ prompt: 'Again', fork: true, worktree: true }, session(main))
    expect(again).toMatchObject({ ok: true })
    await host.close()
    const next = await open()
    expect(next.reports).toEqual([])
    await next.close()
  })
})
