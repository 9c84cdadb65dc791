import { mkdtemp, mkdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fail, ok } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import { homePaths } from '../session-tree/home-paths.ts'
import { linesOf, session } from '../tools/testing/test-home.ts'
import { createCallerTokens, type CallerTokens } from './caller-tokens.ts'
import { socketAddress } from './socket-address.ts'
import { connectToTools, type ToolConnection } from './tool-client.ts'
import type { Methods } from './tool-connection.ts'
import { LONGEST_REQUEST } from './tool-protocol.ts'
import { openToolSocket, type ToolSocket } from './tool-socket.ts'

let folder: string
let tokens: CallerTokens
let socket: ToolSocket
let bugs: unknown[]
let started: () => void
let hasStarted: Promise<void>

const methods: Methods = {
  whoami: async (_params, { caller }) => ok(caller),
  echo: async (params) => ok(params),
  refuse: async () => fail(toolError('cwd_missing', 'It is gone.', { field: 'cwd', path: '/gone' })),
  report: async (_params, { progress, warning }) => {
    progress({ sentence: 'Half.', done: 1, total: 2 })
    warning('A hook failed.')
    return ok('done')
  },
  throws: async () => {
    throw new Error('a bug')
  },
  untilAborted: (_params, { signal }) => {
    started()
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve(fail(toolError('cancelled', 'It was cancelled.'))))
    })
  },
}

async function open(address: string): Promise<ToolSocket> {
  const opened = await openToolSocket({ address, tokens, methods, onBug: (bug) => bugs.push(bug) })
  if (!opened.ok) throw new Error(opened.error.message)
  return opened.value
}

async function clientFor(token: string): Promise<ToolConnection> {
  const connection = await connectToTools(socket.address, token)
  if (!connection.ok) throw new Error(connection.error.message)
  return connection.value
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'treeline-socket-'))
  tokens = createCallerTokens()
  bugs = []
  hasStarted = new Promise((resolve) => (started = resolve))
  socket = await open(socketAddress(homePaths(folder)))
})
afterEach(async () => {
  await socket.close()
  await rm(folder, { recursive: true, force: true })
})

/** A caller who does not use our client. */
function raw(): { readonly socket: Socket; readonly ended: Promise<string> } {
  const stranger = connect(socket.address)
  let said = ''
  stranger.on('data', (chunk) => (said += chunk.toString()))
  stranger.on('error', () => undefined)
  return { socket: stranger, ended: new Promise((resolve) => stranger.on('close', () => resolve(said))) }
}

describe('the tool socket', () => {
  it('is for this user only', async () => {
    expect((await stat(socket.address)).mode & 0o777).toBe(0o600)
    expect((await stat(dirname(socket.address))).mode & 0o777).toBe(0o700)
  })

  it('knows each caller by its token alone', async () => {
    const agent = session('session-1')
    const host = await clientFor(tokens.issue({ kind: 'host' }))
    const token = tokens.issue(agent)
    const other = await clientFor(token)
    expect(await host.call('whoami', {})).toEqual(ok({ kind: 'host' }))
    expect(await other.call('whoami', { caller: 'host', token: 'x' })).toEqual(ok(agent))
    tokens.revoke(token)
    expect(await connectToTools(socket.address, token)).toMatchObject({ ok: false, error: { code: 'not_authorized' } })
    for (const connection of [host, other]) connection.close()
  })

  it.each(['', 'session-1', '0'.repeat(64)])('refuses the token %j', async (token) => {
    tokens.issue({ kind: 'host' })
    expect(await connectToTools(socket.address, token)).toMatchObject({ ok: false, error: { code: 'not_authorized' } })
  })

  it('answers nothing before it knows who calls, and ends the connection', async () => {
    const stranger = raw()
    stranger.socket.write('{"jsonrpc":"2.0","id":1,"method":"whoami"}\n{"jsonrpc":"2.0","id":2,"method":"whoami"}\n')
    const said = await stranger.ended
    expect(said.trim().split('\n')).toHaveLength(1)
    expect(JSON.parse(said)).toMatchObject({ id: 1, error: { data: { code: 'not_authorized' } } })
  })

  it('carries results, errors with field and path, progress and warnings', async () => {
    const host = await clientFor(tokens.issue({ kind: 'host' }))
    const news: unknown[] = []
    const options = { onProgress: (p: unknown) => news.push(p), onWarning: (w: unknown) => news.push(w) }
    expect(await host.call('report', {}, options)).toEqual(ok('done'))
    expect(news).toEqual([{ sentence: 'Half.', done: 1, total: 2 }, 'A hook failed.'])
    expect(await host.call('refuse', {})).toEqual({
      ok: false,
      error: { code: 'cwd_missing', message: 'It is gone.', field: 'cwd', path: '/gone' },
    })
    const long = 'ü🌳\n\u2028'.repeat(300_000)
    expect(await host.call('echo', { long })).toEqual(ok({ long }))
    host.close()
  })

  it('runs many calls of one connection at once and cancels the one that is meant', async () => {
    const host = await clientFor(tokens.issue({ kind: 'host' }))
    const abort = new AbortController()
    const waiting = host.call('untilAborted', {}, { signal: abort.signal })
    await hasStarted
    expect(await host.call('echo', { a: 1 })).toEqual(ok({ a: 1 }))
    abort.abort()
    expect(await waiting).toMatchObject({ ok: false, error: { code: 'cancelled' } })
    expect(await host.call('echo', { a: 2 })).toEqual(ok({ a: 2 }))
    host.close()
  })

  it('aborts the calls of a connection that is gone, and of its own end', async () => {
    const gone = await clientFor(tokens.issue({ kind: 'host' }))
    const unanswered = gone.call('untilAborted', {})
    await hasStarted
    gone.close()
    expect(await unanswered).toMatchObject({ ok: false, error: { code: 'owner_unreachable' } })
    hasStarted = new Promise((resolve) => (started = resolve))
    const staying = await clientFor(tokens.issue({ kind: 'host' }))
    const answered = staying.call('untilAborted', {})
    await hasStarted
    await socket.close()
    expect(await answered).toMatchObject({ ok: false, error: { code: 'cancelled' } })
    expect(await staying.call('echo', {})).toMatchObject({ ok: false, error: { code: 'owner_unreachable' } })
  })

  it('survives its own bugs, and says that it has one', async () => {
    const host = await clientFor(tokens.issue({ kind: 'host' }))
    expect(await host.call('throws', {})).toMatchObject({ ok: false, error: { code: 'internal' } })
    expect(bugs).toEqual([new Error('a bug')])
    expect(await host.call('toString', {})).toMatchObject({ ok: false, error: { code: 'invalid_request' } })
    expect(await host.call('echo', { a: 1 })).toEqual(ok({ a: 1 }))
    host.close()
  })

  it('answers what is no request with an error and goes on', async () => {
    const { socket: stranger, ended } = raw()
    const token = tokens.issue({ kind: 'host' })
    const lines = [
      `{"jsonrpc":"2.0","id":1,"method":"authenticate","params":{"token":"${token}"}}`,
      'nonsense',
      '[]',
      '7',
      '{"jsonrpc":"1.0","id":2,"method":"echo"}',
      '{"jsonrpc":"2.0","id":{},"method":"echo"}',
      '{"jsonrpc":"2.0","id":3,"method":"echo","params":[]}',
      '{"jsonrpc":"2.0","method":"cancel","params":{"id":99}}',
      '{"jsonrpc":"2.0","id":4,"method":"echo","params":{"last":true}}',
    ]
    stranger.write(`${lines.join('\n')}\n`)
    stranger.on('data', (chunk) => chunk.includes('"last"') && stranger.end())
    const answers = linesOf(await ended)
    expect(answers.map(({ id, error }) => [id, error === undefined])).toEqual([
      [1, true],
      ...Array.from({ length: 6 }, () => [null, false]),
      [4, true],
    ])
  })

  it('does not hold a request without end', async () => {
    const { socket: stranger, ended } = raw()
    stranger.write(Buffer.alloc(LONGEST_REQUEST + 1, 'x'))
    expect(JSON.parse(await ended)).toMatchObject({ id: null, error: { data: { code: 'invalid_request' } } })
    const host = await clientFor(tokens.issue({ kind: 'host' }))
    expect(await host.call('echo', { a: 1 })).toEqual(ok({ a: 1 }))
    host.close()
  })

  it('takes the place of what a killed owner left', async () => {
    await socket.close()
    await writeFile(socket.address, '')
    socket = await open(socket.address)
    const host = await clientFor(tokens.issue({ kind: 'host' }))
    host.close()
  })

  it('says so where nobody listens', async () => {
    await socket.close()
    const refused = await connectToTools(socket.address, 'x')
    expect(refused).toMatchObject({ ok: false, error: { code: 'owner_unreachable', path: socket.address } })
  })
})

describe('a home with a long path', () => {
  it('gets a short address in a private folder of its own', async () => {
    const paths = homePaths(join(folder, 'ü'.repeat(100)))
    const address = socketAddress(paths)
    expect(Buffer.byteLength(address)).toBeLessThanOrEqual(100)
    expect(address).not.toBe(socketAddress(homePaths(join(folder, 'ä'.repeat(100)))))
    const long = await open(address)
    expect((await stat(dirname(address))).mode & 0o777).toBe(0o700)
    await long.close()
    await rm(dirname(address), { recursive: true })
  })

  it('gets none in a folder that somebody else put there', async () => {
    const address = join(folder, 'link', 'tools.sock')
    await mkdir(join(folder, 'elsewhere'))
    await symlink(join(folder, 'elsewhere'), dirname(address))
    const refused = await openToolSocket({ address, tokens, methods, onBug: () => undefined })
    expect(refused).toMatchObject({ ok: false, error: { code: 'io_failed', path: dirname(address) } })
  })
})
