import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { homePaths } from '../session-tree/home-paths.ts'
import { UNPUBLISHED_PREFIX } from '../session-tree/layout.ts'
import { HOST, makeTestHome, session, valueOf, type TestHome } from '../tools/testing/test-home.ts'
import { git, installHook, makeRepository, traces } from '../worktrees/testing/test-git.ts'
import { connectToOwner } from './connect-to-owner.ts'
import { openHome, type HomeHost } from './home-host.ts'

let home: TestHome
let opened: HomeHost[]

beforeEach(async () => {
  home = await makeTestHome()
  opened = []
})
afterEach(async () => {
  for (const host of opened) await host.close()
  await home.remove()
})

async function open(serve = false, paths = home.paths): Promise<HomeHost> {
  const result = await openHome({ paths, app: 'window', serve })
  if (!result.ok) throw new Error(result.error.message)
  opened.push(result.value)
  return result.value
}

async function makeMain(host: HomeHost): Promise<string> {
  return valueOf(await host.tools.session_create({ prompt: 'Go', cwd: home.cwd }, HOST)).session_id
}

describe('a home', () => {
  it('has one owner at a time, who is named to the next', async () => {
    const host = await open()
    expect(await openHome({ paths: home.paths, app: 'command line', serve: false })).toMatchObject({
      ok: false,
      error: { code: 'home_owned', owner: { app: 'window', pid: process.pid } },
    })
    await host.close()
    await host.close()
    await open()
  })

  it('is brought in order before anything else', async () => {
    const main = await makeMain(await open())
    await opened[0]?.close()
    const half = await halfPublished(main)
    const host = await open()
    await expect(stat(half)).rejects.toThrow('ENOENT')
    expect(host.reports).toEqual([])
    expect(await host.tools.session_status({ session_id: main }, HOST)).toMatchObject({ ok: true })
  })

  it('makes worktrees as its settings say, from the next one on', async () => {
    await makeRepository(home.cwd)
    const host = await open()
    const main = await makeMain(host)
    await writeFile(home.paths.settings, JSON.stringify({ worktreeBranch: 'mine/{slug}-{id}' }))
    const request = { prompt: 'Go', title: 'Sieve', fork: true, worktree: true }
    const made = valueOf(await host.tools.session_create(request, session(main)))
    expect(await git(made.cwd, 'branch', '--show-current')).toMatch(/^mine\/sieve-/)
  })

  it('says what is wrong with its settings, and opens all the same', async () => {
    await mkdir(home.paths.own, { recursive: true })
    await writeFile(home.paths.settings, '{"theme":')
    expect((await open()).reports).toEqual([expect.stringContaining(home.paths.settings)])
  })

  it('is given back only when nothing runs in it any more', async () => {
    await makeRepository(home.cwd)
    const host = await open()
    const main = await makeMain(host)
    await mkdir(home.paths.pending, { recursive: true })
    const before = await traces(join(home.cwd, '.git'))
    await installHook(join(home.cwd, '.git'), 'post-checkout', ['exec sleep 60'])
    const runs = Promise.withResolvers<void>()
    const request = { prompt: 'Go', fork: true, worktree: true }
    const cut = host.tools.session_create(request, session(main), { onProgress: () => runs.resolve() })
    await runs.promise
    await host.close()
    expect(await cut).toMatchObject({ ok: false, error: { code: 'cancelled' } })
    expect(await traces(join(home.cwd, '.git'))).toEqual(before)
    expect(await readdir(home.paths.pending)).toEqual([])
    expect(await host.tools.session_create({ prompt: 'Late', cwd: home.cwd }, HOST)).toMatchObject({
      ok: false,
      error: { code: 'cancelled' },
    })
  })

  it('imports one set of logs at a time, and says where there are none', async () => {
    const host = await open()
    const folders = [join(home.cwd, 'nowhere')]
    const both = await Promise.all([host.importDsh({ folders }), host.importDsh({ folders })])
    expect(both).toMatchObject([{ error: { code: 'import_failed' } }, { error: { code: 'already_running' } }])
    expect(await host.importDsh({ folders })).toMatchObject({ error: { code: 'import_failed' } })
  })
})

describe('the owner of a home that serves', () => {
  it('is reached with a token only this user can read, new at each start', async () => {
    const host = await open(true)
    expect((await stat(home.paths.hostToken)).mode & 0o777).toBe(0o600)
    const token = await readFile(home.paths.hostToken, 'utf8')
    expect(token).toMatch(/^[0-9a-f]{64}\n$/)
    const client = valueOf(await connectToOwner(home.paths))
    client.close()
    await host.close()
    await open(true)
    expect(await readFile(home.paths.hostToken, 'utf8')).not.toBe(token)
  })

  it('answers the three tools, the list and the import', async () => {
    const host = await open(true)
    const client = valueOf(await connectToOwner(home.paths))
    const made = await client.call('session_create', { request: { prompt: 'Go', cwd: home.cwd } })
    expect(made).toMatchObject({ ok: true, value: { kind: 'main', cwd: home.cwd } })
    const [place] = await host.tree.mains()
    const main = place?.id ?? ''
    const child = await client.call('session_create', { request: { prompt: 'Help' }, as: main })
    expect(child).toMatchObject({ ok: true, value: { kind: 'subagent', parent_session_id: main } })
    const { tree } = valueOf(await host.tools.session_status({}, session(main)))
    expect(await client.call('session_status', { request: {}, as: main })).toEqual({ ok: true, value: { tree } })
    expect(await client.call('session_list', {})).toEqual({ ok: true, value: { sessions: [tree] } })
    const message = { session_id: main, message: 'More' }
    expect(await client.call('session_send', { request: message })).toMatchObject({ ok: true })
    expect(await client.call('session_send', { request: message, as: main })).toMatchObject({
      error: { code: 'not_direct_child', field: 'session_id' },
    })
    expect(await client.call('session_status', { request: {} })).toMatchObject({ error: { code: 'session_required' } })
    expect(await client.call('session_status', { request: {}, as: '../x' })).toMatchObject({ error: { field: 'as' } })
    expect(await client.call('session_list', { all: true })).toMatchObject({ error: { code: 'invalid_request' } })
    const folders = [join(home.cwd, 'nowhere')]
    expect(await client.call('import_dsh', { folders })).toMatchObject({ error: { code: 'import_failed' } })
    client.close()
  })

  it('is not reached when it does not serve, when it is gone, or by another start’s token', async () => {
    expect(await connectToOwner(home.paths)).toMatchObject({ error: { code: 'owner_unreachable' } })
    const quiet = await open(false)
    expect(await connectToOwner(home.paths)).toMatchObject({ error: { code: 'owner_unreachable' } })
    await quiet.close()
    const host = await open(true)
    await writeFile(home.paths.hostToken, '0'.repeat(64))
    expect(await connectToOwner(home.paths)).toMatchObject({ error: { code: 'not_authorized' } })
    await host.close()
    expect(await connectToOwner(home.paths)).toMatchObject({ error: { code: 'owner_unreachable' } })
  })

  it('is reached in a home with a long path, too', async () => {
    const paths = homePaths(join(home.paths.home, 'ü'.repeat(60), 'x'.repeat(60)))
    await open(true, paths)
    const client = valueOf(await connectToOwner(paths))
    expect(await client.call('session_list', {})).toEqual({ ok: true, value: { sessions: [] } })
    client.close()
  })
})

/** What a process that was killed while it created a session leaves: a folder under a temporary name. */
async function halfPublished(main: string): Promise<string> {
  const folder = join(home.paths.tree, main, 'subagents', `${UNPUBLISHED_PREFIX}0f080000-0000-4000-8000-000000000008`)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'session.jsonl'), '{"type":"sess')
  return folder
}
