import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SessionId } from '../../shared/session-id.ts'
import type { SessionTreeView } from '../../shared/tools.ts'
import {
  idOf,
  makeChild,
  makeMain,
  makeTestHome,
  snapshotOf,
  valueOf,
  type TestHome,
} from '../tools/testing/test-home.ts'
import { createCallLimits } from './call-limits.ts'
import { createCallerTokens, type CallerTokens } from './caller-tokens.ts'
import { toolMethods } from './tool-methods.ts'
import { openToolSocket, type ToolSocket } from './tool-socket.ts'

const PROGRAM = join(import.meta.dirname, '..', '..', 'cli', 'treeline.ts')

let home: TestHome
let tokens: CallerTokens
let socket: ToolSocket
let main: SessionId
let fork: SessionId
let clients: Client[]

beforeEach(async () => {
  home = await makeTestHome()
  main = await makeMain(home)
  fork = idOf((await makeChild(home, main, { fork: true })).session_id)
  tokens = createCallerTokens()
  clients = []
  socket = valueOf(await open())
})
afterEach(async () => {
  await Promise.all(clients.map((client) => client.close()))
  await socket.close()
  await home.remove()
})

const importDsh = () => Promise.reject(new Error('An import was started.'))

function open(rate = { burst: 1000, perSecond: 1000, atOnce: 100 }) {
  const { tree, tools } = home
  const methods = toolMethods({ tree, tools, importDsh, limits: createCallLimits(rate) })
  const address = join(home.paths.home, 'run', 's')
  return openToolSocket({ address, tokens, methods, onBug: (bug) => expect.fail(String(bug)) })
}

/** The official client, with the real bridge process behind it, as an agent starts it: with nothing but these variables. */
async function bridge(env: Record<string, string>): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  clients.push(client)
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [PROGRAM, 'mcp'], env, stderr: 'inherit' }),
  )
  return client
}

function agentOf(id: SessionId): Promise<Client> {
  return bridge({ TREELINE_SOCKET: socket.address, TREELINE_TOKEN: tokens.issue({ kind: 'session', id }) })
}

interface Answer {
  readonly isError?: boolean
  readonly text: string
  readonly value: Record<string, unknown>
}

async function call(client: Client, name: string, given: Record<string, unknown>): Promise<Answer> {
  const answer = await client.callTool({ name, arguments: given })
  const [first] = Array.isArray(answer.content) ? answer.content : []
  const value = { ...(typeof answer.structuredContent === 'object' && answer.structuredContent) }
  return { ...(answer.isError === true && { isError: true }), text: String(first?.text), value }
}

const refusal = (code: string) => ({
  isError: true,
  text: expect.stringMatching(new RegExp(`^${code}: .*\\.$`)),
  value: { error: expect.objectContaining({ code }) },
})

describe('an agent over MCP', () => {
  it('finds exactly the three tools, each with the fields of the shared schema and words for each', async () => {
    const client = await agentOf(main)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['session_create', 'session_status', 'session_send'])
    const [create, status, send] = tools
    expect(create?.inputSchema).toMatchObject({ type: 'object', required: ['prompt'], additionalProperties: false })
    const fields = ['prompt', 'title', 'fork', 'worktree', 'preset', 'model', 'cwd']
    expect(Object.keys(create?.inputSchema.properties ?? {})).toEqual(fields)
    expect(create?.inputSchema.properties?.['prompt']).toMatchObject({ type: 'string', minLength: 1 })
    expect(status?.inputSchema).toMatchObject({ properties: { session_id: { type: 'string' } } })
    expect(status?.inputSchema.required ?? []).toEqual([])
    expect(send?.inputSchema).toMatchObject({ required: ['session_id', 'message'] })
    for (const { inputSchema, description } of tools) {
      expect(description?.length).toBeGreaterThan(200)
      for (const property of Object.values(inputSchema.properties ?? {})) {
        expect(property).toMatchObject({ description: expect.stringMatching(/\.$/) })
      }
    }
    expect(client.getInstructions()).toContain('session_path')
  })

  it('creates, looks and sends as the session its token stands for', async () => {
    const client = await agentOf(main)
    const made = await call(client, 'session_create', { prompt: 'Help', title: 'Helper' })
    expect(made.value).toMatchObject({ kind: 'subagent', parent_session_id: main, accepted: true, cwd: home.cwd })
    expect(JSON.parse(made.text)).toEqual(made.value)
    const id = made.value['session_id']
    const sent = await call(client, 'session_send', { session_id: id, message: 'More' })
    expect(sent.value).toEqual({ session_id: id, accepted: true, status: 'queued' })
    const { value } = await call(client, 'session_status', {})
    const tree: SessionTreeView = JSON.parse(JSON.stringify(value['tree']))
    expect(tree).toMatchObject({ session_id: main, subagents: [{ session_id: id, title: 'Helper' }] })
    expect(tree.forks.map(({ session_id }) => session_id)).toEqual([fork])
  })

  it('is told what went wrong, as the tool’s own error with its code', async () => {
    const client = await agentOf(fork)
    expect(await call(client, 'session_create', { prompt: 'Go', fork: true })).toMatchObject(refusal('fork_needs_main'))
    expect(await call(client, 'session_send', { session_id: main, message: 'Go' })).toMatchObject(
      refusal('not_direct_child'),
    )
    expect(await call(client, 'session_create', { prompt: 'Go', parent_session_id: main })).toMatchObject(
      refusal('invalid_request'),
    )
    await expect(client.callTool({ name: 'session_list', arguments: {} })).rejects.toThrow('There is no tool')
  })

  it('cannot send more than a mebibyte, and can send as much', async () => {
    const client = await agentOf(main)
    const most = 1_048_576
    expect(await call(client, 'session_create', { prompt: 'x'.repeat(most + 1) })).toMatchObject(
      refusal('invalid_request'),
    )
    expect(await call(client, 'session_create', { prompt: 'x'.repeat(most) })).not.toHaveProperty('isError')
  })
})

describe('who has no right to call', () => {
  it('gets nothing by knowing an id', async () => {
    const before = await snapshotOf(home.paths.tree)
    for (const token of ['', main, '0'.repeat(64)]) {
      const client = await bridge({ TREELINE_SOCKET: socket.address, TREELINE_TOKEN: token, SESSION_ID: main })
      expect(await client.listTools()).toMatchObject({ tools: [{}, {}, {}] })
      const expected = refusal(token === '' ? 'owner_unreachable' : 'not_authorized')
      expect(await call(client, 'session_status', { session_id: main })).toMatchObject(expected)
      expect(await call(client, 'session_create', { prompt: 'Go' })).toMatchObject(expected)
    }
    expect(await snapshotOf(home.paths.tree)).toEqual(before)
  })

  it('gets nothing by a token that is dead, also when it had called before', async () => {
    const token = tokens.issue({ kind: 'session', id: main })
    const client = await bridge({ TREELINE_SOCKET: socket.address, TREELINE_TOKEN: token })
    expect(await call(client, 'session_status', {})).not.toHaveProperty('isError')
    tokens.revoke(token)
    const before = await snapshotOf(home.paths.tree)
    expect(await call(client, 'session_create', { prompt: 'Go' })).toMatchObject(refusal('not_authorized'))
    expect(await call(client, 'session_create', { prompt: 'Go' })).toMatchObject({ isError: true })
    expect(await snapshotOf(home.paths.tree)).toEqual(before)
  })

  it('reaches no other tree by a token of its own', async () => {
    const stranger = await makeMain(home)
    const client = await agentOf(stranger)
    const before = await snapshotOf(home.paths.tree)
    expect(await call(client, 'session_status', { session_id: main })).toMatchObject(refusal('outside_tree'))
    expect(await call(client, 'session_send', { session_id: fork, message: 'Go' })).toMatchObject(
      refusal('outside_tree'),
    )
    expect(await snapshotOf(home.paths.tree)).toEqual(before)
  })
})

it('a flood is held back for its caller alone, and says so', async () => {
  await socket.close()
  socket = valueOf(await open({ burst: 5, perSecond: 0.01, atOnce: 3 }))
  const [flooding, other] = await Promise.all([agentOf(main), agentOf(fork)])
  const answers = await Promise.all(Array.from({ length: 20 }, () => call(flooding, 'session_status', {})))
  const refused = answers.filter(({ isError }) => isError)
  expect(refused.length).toBeGreaterThanOrEqual(15)
  for (const answer of refused) expect(answer).toMatchObject(refusal('too_many_calls'))
  // By another connection it is the same caller.
  await Promise.all(Array.from({ length: 6 }, () => call(flooding, 'session_status', {})))
  expect(await call(await agentOf(main), 'session_status', {})).toMatchObject(refusal('too_many_calls'))
  expect(await call(other, 'session_status', {})).not.toHaveProperty('isError')
})

it('the bridge finds the next owner after the one it knew has gone', async () => {
  const client = await agentOf(main)
  expect(await call(client, 'session_status', {})).not.toHaveProperty('isError')
  await socket.close()
  expect(await call(client, 'session_status', {})).toMatchObject(refusal('owner_unreachable'))
  socket = valueOf(await open())
  expect(await call(client, 'session_status', {})).not.toHaveProperty('isError')
})
