import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, watch, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openHome, type HomeHost } from '../main/gateway/home-host.ts'
import { homePaths } from '../main/session-tree/home-paths.ts'
import { acquireHome } from '../main/session-tree/owner-lock.ts'
import { valueOf, work } from '../main/tools/testing/test-home.ts'
import { git, installHook, makeRepository, traces } from '../main/worktrees/testing/test-git.ts'
import { createdBy, errorOf, resultOf, runTreeline, treesOf, type Ran } from './testing/run-treeline.ts'
import { openShell, type Shell } from './testing/shell.ts'

let shell: Shell
let folder: string
let home: string
let project: string

beforeEach(async () => {
  shell = await openShell()
  ;({ folder, home, project } = shell)
})
afterEach(() => shell.close())

const treeline = (...words: string[]) => shell.treeline(...words)
const create = (...words: string[]) => shell.create(...words)

/** Runs a command as an agent would: with a token and an address in its environment. */
function inside(words: string[], token = 'x', address = 'y'): Promise<Ran> {
  return runTreeline(words, { cwd: project, environment: { TREELINE_TOKEN: token, TREELINE_SOCKET: address } })
}

async function serve(): Promise<HomeHost> {
  return valueOf(await openHome({ paths: homePaths(home), app: 'window', serve: true }))
}

describe('a home nobody owns', () => {
  it('is owned for the call: a main in the folder of the call, its children, a message, and what they look like', async () => {
    const main = await create('--title', 'Orchard')
    expect(main).toEqual({
      session_id: main.session_id,
      kind: 'main',
      accepted: true,
      status: 'queued',
      root_session_id: main.session_id,
      cwd: project,
    })
    const child = await create('--as', main.session_id, '--model', 'deepseek/v4:high', '--preset', 'shell')
    expect(child).toMatchObject({ kind: 'subagent', parent_session_id: main.session_id, cwd: project })
    const sent = await treeline(
      'session',
      'send',
      '--session',
      child.session_id,
      '--message',
      'Go',
      '--as',
      main.session_id,
    )
    expect(resultOf(sent)).toEqual({ session_id: child.session_id, accepted: true, status: 'queued' })

    const [tree] = treesOf(await treeline('session', 'status', '--session', main.session_id))
    expect(tree).toMatchObject({ kind: 'main', title: 'Orchard', status: 'cold', forks: [] })
    expect(tree?.subagents).toHaveLength(1)
    expect(resultOf(await treeline('session', 'status', '--as', child.session_id))).toEqual({ tree })
    expect(resultOf(await treeline('session', 'list'))).toEqual({ sessions: [tree] })
    const log = await readFile(tree?.subagents[0]?.session_path ?? '', 'utf8')
    expect(log).toContain('"reasoningEffort":"high"')
    expect(log).toContain('"agentPreset":"shell"')
  })

  it('gets a fork in a worktree, which git itself confirms', async () => {
    await makeRepository(project)
    const main = await create()
    const fork = await create('--as', main.session_id, '--fork', '--worktree', '--title', 'Sieve')
    expect(fork).toMatchObject({ kind: 'fork', cwd: fork.worktree })
    expect(await git(project, 'worktree', 'list', '--porcelain')).toContain(`worktree ${fork.worktree}\n`)
    expect(await git(fork.cwd, 'branch', '--show-current')).toMatch(/^treeline\/sieve-/)
  })

  it('may be called by many at once: each waits for its turn', async () => {
    const main = await create()
    await Promise.all(Array.from({ length: 5 }, () => create('--as', main.session_id)))
    const [tree] = treesOf(await treeline('session', 'list'))
    expect(tree?.subagents).toHaveLength(5)
  })

  it('is $DSH_HOME where no --home is given', async () => {
    const environment = { DSH_HOME: home }
    const made = await runTreeline(['session', 'create', '--prompt', 'Go'], { cwd: project, environment })
    expect(resultOf(made)).toMatchObject({ kind: 'main' })
    expect(await readdir(join(home, 'session-tree'))).toHaveLength(1)
  })

  it('brings what happened to the person: a warning beside the result', async () => {
    await makeRepository(project)
    await writeFile(join(project, 'draft.txt'), 'draft')
    const main = await create()
    const ran = await treeline('session', 'create', '--prompt', 'Go', '--as', main.session_id, '--fork', '--worktree')
    expect(resultOf(ran)).toMatchObject({ kind: 'fork' })
    expect(JSON.parse(ran.stderr)).toEqual({ warning: expect.stringContaining('1 file') })
  })
})

describe('a home that a window owns', () => {
  it('is reached through it, with the same results', async () => {
    const host = await serve()
    const main = await create('--title', 'Orchard')
    expect(main).toMatchObject({ kind: 'main', cwd: project })
    await work(host.tree, main.session_id, 1)
    const fork = await create('--as', main.session_id, '--fork')
    expect(fork).toMatchObject({ kind: 'fork', parent_session_id: main.session_id })
    const sent = await treeline('session', 'send', '--session', main.session_id, '--message', 'Go')
    expect(resultOf(sent)).toMatchObject({ accepted: true })
    const refused = await treeline('session', 'create', '--prompt', 'Go', '--as', fork.session_id, '--fork')
    expect(errorOf(refused)).toMatchObject({ exit: 1, code: 'fork_needs_main', field: 'fork' })
    const { tree } = valueOf(await host.tools.session_status({ session_id: main.session_id }, { kind: 'host' }))
    expect(resultOf(await treeline('session', 'status', '--session', main.session_id))).toEqual({ tree })
    await host.close()
  })

  it('that takes no calls is waited for', async () => {
    const { lock: lockFolder } = homePaths(home)
    const lock = await acquireHome(lockFolder, { app: 'command line' })
    if (!lock.ok) throw new Error(lock.error.message)
    // Each attempt to own the home writes a file of the process that tries.
    const tries = watch(lockFolder)
    const words = ['--home', home, 'session', 'create', '--prompt', 'Go']
    let pid = 0
    const waiting = runTreeline(words, { cwd: project, onStart: (started) => (pid = started) })
    for await (const { filename } of tries) if (filename?.startsWith(`.${pid}-`)) break
    await lock.value.release()
    expect(createdBy(await waiting)).toMatchObject({ kind: 'main' })
  })
})

describe('an interruption', () => {
  it.each(['nobody', 'a window'])('takes back what was half made, in a home that %s owns', async (owner) => {
    await makeRepository(project)
    const main = await create()
    const started = join(folder, 'started')
    await mkdir(started)
    await installHook(join(project, '.git'), 'post-checkout', [`touch '${join(started, 'hook')}'`, 'exec sleep 60'])
    const before = await traces(join(project, '.git'))
    const host = owner === 'a window' ? await serve() : undefined
    const hookRuns = watch(started)
    let pid = 0
    const words = [
      '--home',
      home,
      'session',
      'create',
      '--prompt',
      'Go',
      '--as',
      main.session_id,
      '--fork',
      '--worktree',
    ]
    const running = runTreeline(words, { cwd: project, onStart: (begun) => (pid = begun) })
    await hookRuns[Symbol.asyncIterator]().next()
    process.kill(pid, 'SIGINT')
    expect(errorOf(await running)).toMatchObject({ exit: 1, code: 'cancelled' })
    expect(await traces(join(project, '.git'))).toEqual(before)
    const [tree] = treesOf(await treeline('session', 'list'))
    expect(tree?.forks).toEqual([])
    await host?.close()
  })
})

describe('inside an agent', () => {
  it('the token says who calls, so --as and --home are refused', async () => {
    for (const [field, word] of [
      ['as', 'session-1'],
      ['home', home],
    ] as const) {
      const refused = await inside(['session', 'status', `--${field}`, word])
      expect(errorOf(refused)).toMatchObject({ exit: 1, code: 'not_allowed', field })
    }
    expect(errorOf(await inside(['check']))).toMatchObject({ exit: 1, code: 'not_allowed' })
    expect(errorOf(await inside(['session', 'list'], 'x', ''))).toMatchObject({ exit: 1, code: 'owner_unreachable' })
    const gone = await inside(['session', 'status'], 'x', join(folder, 'gone'))
    expect(errorOf(gone)).toMatchObject({ exit: 1, code: 'owner_unreachable' })
    expect(existsSync(home)).toBe(false)
  })

  it('a wrong token gets nothing', async () => {
    const host = await serve()
    const refused = await inside(['session', 'list'], '0'.repeat(64), homePaths(home).toolSocket)
    expect(errorOf(refused)).toMatchObject({ exit: 1, code: 'not_authorized' })
    await host.close()
  })
})

describe('an error', () => {
  it.each<[string, object]>([
    ['session status', { code: 'session_required', field: 'session_id' }],
    ['session status --session ../x', { code: 'invalid_session_id', field: 'session_id' }],
    ['session status --as session-404', { code: 'unknown_session', field: 'as' }],
    ['session create --prompt=', { code: 'invalid_request', field: 'prompt' }],
    ['session create --prompt Go --cwd here', { code: 'cwd_not_absolute', field: 'cwd' }],
    ['session create --prompt Go --worktree', { code: 'worktree_needs_fork', field: 'worktree' }],
    ['session create --prompt Go --fork', { code: 'fork_needs_main', field: 'fork' }],
    ['session create --prompt Go --model /m', { code: 'invalid_request', field: 'model.provider' }],
    ['session send --session session-404 --message Go', { code: 'unknown_session' }],
    ['import dsh nowhere', { code: 'import_failed' }],
  ])('of a tool is JSON on stderr with exit 1: %s', async (line, error) => {
    const refused = errorOf(await treeline(...line.split(' ')))
    expect(refused).toEqual({ exit: 1, message: expect.stringMatching(/\.$/), ...error })
    expect(existsSync(join(home, 'session-tree'))).toBe(false)
  })

  it.each(['', 'session', 'session create', 'check --force'])('of usage exits with 2: %j', async (line) => {
    const refused = await treeline(...line.split(' ').filter((word) => word !== ''))
    const message = expect.stringContaining('--help')
    expect(errorOf(refused)).toMatchObject({ exit: 2, code: 'invalid_request', message })
    expect(existsSync(home)).toBe(false)
  })

  it('is not what --help is', async () => {
    const { code, stdout, stderr } = await treeline('--help')
    expect([code, stderr]).toEqual([0, ''])
    for (const command of ['session create', 'session status', 'session send', 'session list', 'import dsh', 'check']) {
      expect(stdout).toContain(command)
    }
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(110)
  })
})
