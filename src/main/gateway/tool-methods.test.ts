import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ok } from '../../shared/result.ts'
import type { SessionId } from '../../shared/session-id.ts'
import {
  idOf,
  makeChild,
  makeMain,
  makeTestHome,
  snapshotOf,
  valueOf,
  type TestHome,
} from '../tools/testing/test-home.ts'
import { createCallerTokens, type CallerTokens } from './caller-tokens.ts'
import { connectToTools, type ToolConnection } from './tool-client.ts'
import { toolMethods } from './tool-methods.ts'
import { openToolSocket, type ToolSocket } from './tool-socket.ts'

let home: TestHome
let tokens: CallerTokens
let socket: ToolSocket
let main: SessionId
let fork: SessionId
let stranger: SessionId

beforeEach(async () => {
  home = await makeTestHome()
  main = await makeMain(home)
  fork = idOf((await makeChild(home, main, { fork: true })).session_id)
  stranger = await makeMain(home)
  tokens = createCallerTokens()
  const { tree, tools } = home
  const methods = toolMethods({ tree, tools, importDsh: () => Promise.reject(new Error('An import was started.')) })
  const address = join(home.paths.home, 'run', 's')
  socket = valueOf(await openToolSocket({ address, tokens, methods, onBug: (bug) => expect.fail(String(bug)) }))
})
afterEach(async () => {
  await socket.close()
  await home.remove()
})

async function agentOf(id: SessionId): Promise<ToolConnection> {
  return valueOf(await connectToTools(socket.address, tokens.issue({ kind: 'session', id })))
}

describe('an agent', () => {
  it('is the session its token stands for, and nobody else', async () => {
    const agent = await agentOf(fork)
    const made = valueOf(await agent.call('session_create', { request: { prompt: 'Help' } }))
    expect(made).toMatchObject({ kind: 'subagent', parent_session_id: fork, root_session_id: main })
    const seen = await agent.call('session_status', { request: {} })
    expect(seen).toMatchObject({ ok: true, value: { tree: { session_id: main } } })
    agent.close()
  })

  it('cannot act for another, list, import, or say in the request who it is', async () => {
    const agent = await agentOf(fork)
    const before = await snapshotOf(home.paths.tree)
    for (const as of [main, fork, stranger, '', null, 7]) {
      for (const method of ['session_create', 'session_status', 'session_send']) {
        const request = { prompt: 'Go', session_id: main, message: 'Go' }
        const refused = await agent.call(method, { request, as })
        expect(refused).toMatchObject({ ok: false, error: { code: 'not_allowed', field: 'as' } })
      }
    }
    expect(await agent.call('session_list', {})).toMatchObject({ error: { code: 'not_allowed' } })
    expect(await agent.call('import_dsh', {})).toMatchObject({ error: { code: 'not_allowed' } })
    for (const extra of [{ caller: main }, { token: 'x' }]) {
      const refused = await agent.call('session_create', { request: { prompt: 'Go' }, ...extra })
      expect(refused).toMatchObject({ error: { code: 'invalid_request', field: Object.keys(extra)[0] } })
    }
    const claims = await agent.call('session_create', { request: { prompt: 'Go', parent_session_id: main } })
    expect(claims).toMatchObject({ error: { code: 'invalid_request', field: 'parent_session_id' } })
    expect(await agent.call('session_create', { request: { prompt: 'Go', fork: true } })).toMatchObject({
      error: { code: 'fork_needs_main', field: 'fork' },
    })
    expect(await agent.call('session_send', { request: { session_id: stranger, message: 'Go' } })).toMatchObject({
      error: { code: 'outside_tree' },
    })
    expect(await snapshotOf(home.paths.tree)).toEqual(before)
    agent.close()
  })

  it('is nobody once its token is revoked, also on a connection that is open', async () => {
    const token = tokens.issue({ kind: 'session', id: fork })
    const agent = valueOf(await connectToTools(socket.address, token))
    expect(await agent.call('session_status', { request: {} })).toMatchObject({ ok: true })
    tokens.revoke(token)
    const before = await snapshotOf(home.paths.tree)
    expect(await agent.call('session_create', { request: { prompt: 'Go' } })).toMatchObject({
      error: { code: 'not_authorized' },
    })
    expect(await connectToTools(socket.address, token)).toMatchObject({ error: { code: 'not_authorized' } })
    expect(await snapshotOf(home.paths.tree)).toEqual(before)
    agent.close()
  })
})

it('a host that sends no request is told so', async () => {
  const host = valueOf(await connectToTools(socket.address, tokens.issue({ kind: 'host' })))
  expect(await host.call('session_create', {})).toMatchObject({ error: { code: 'invalid_request' } })
  expect(await host.call('session_status', { request: { session_id: fork } })).toEqual(
    ok({ tree: expect.objectContaining({ session_id: fork }) }),
  )
  host.close()
})
