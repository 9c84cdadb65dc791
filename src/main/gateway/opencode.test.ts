import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { asRecord } from '../session-tree/event.ts'
import { homePaths, type HomePaths } from '../session-tree/home-paths.ts'
import type { SessionPlace } from '../session-tree/session-tree.ts'
import { startDshBackend } from '../session-tree/testing/dsh-oracle.ts'
import { eventsIn } from '../session-tree/testing/tree-home.ts'
import { HOST, idOf, session, valueOf } from '../tools/testing/test-home.ts'
import { openHome, type HomeHost } from './home-host.ts'
import {
  startModelServer,
  tokensOfRequest,
  type ModelAnswer,
  type ModelRequest,
  type ModelServer,
} from './testing/model-server.ts'

/** The program of `opencode-ai`, which `npm test` fetches (scripts/setup/opencode.mjs). */
const PROGRAM = process.env['TREELINE_TEST_OPENCODE'] ?? ''
const MISSING =
  process.env['TREELINE_TEST_OPENCODE_MISSING'] ?? 'npm test fetches OpenCode, and this was started without'

const PRESET = { id: 'opencode', label: 'OpenCode', kind: 'acp', command: PROGRAM, args: ['acp'] }

// It takes seconds to start, on a busy machine many.
const LONG = 180_000

/*
 * One home, one agent, one conversation: each start of OpenCode costs seconds, so what is tested follows upon what was
 * tested before.
 */
describe('OpenCode, a real agent on a model of the loopback', { timeout: LONG }, () => {
  let folder: string
  let project: string
  let paths: HomePaths
  let model: ModelServer
  let host: HomeHost
  let main: SessionPlace

  beforeEach((context) => {
    if (PROGRAM === '') context.skip(MISSING)
  })
  beforeAll(async () => {
    if (PROGRAM === '') return
    folder = await realpath(await mkdtemp(join(tmpdir(), 'treeline-opencode-')))
    project = join(folder, 'project')
    await mkdir(project)
    await mkdir(join(folder, 'user'))
    model = await startModelServer(answer)
    await writeFile(join(project, 'opencode.json'), JSON.stringify(configuration(model)))
    paths = homePaths(join(folder, 'home'))
    await mkdir(paths.own, { recursive: true })
    await writeFile(paths.presets, JSON.stringify([{ ...PRESET, env: environment(join(folder, 'user')) }]))
    host = valueOf(await openHome({ paths, app: 'command line', serve: true, agents: true }))
  }, LONG)
  afterAll(async () => {
    if (PROGRAM === '') return
    await host.close()
    await model.stop()
    await rm(folder, { recursive: true, force: true })
  }, LONG)

  test('streams its words, asks before it edits, and calls the three tools; all of it stands in a log that DSH loads', async () => {
    main = await create({ prompt: 'Make a helper.', preset: 'opencode', cwd: project })
    const { id } = main
    await until(() => (host.agents?.status(id)?.requests ?? []).length > 0)
    const [request] = host.agents?.status(id)?.requests ?? []
    expect(request?.detail).toContain('made.txt')
    expect(existsSync(join(project, 'made.txt'))).toBe(false)
    const allow = request?.options.find(({ kind }) => kind === 'allow')
    expect(host.agents?.answer(id, request?.id ?? '', allow?.id ?? '')).toBe(true)
    await turnsEnd(main, 1)

    expect(readFileSync(join(project, 'made.txt'), 'utf8')).toBe('by opencode\n')
    expect(readFileSync(join(project, 'ran.txt'), 'utf8')).toBe('ran\n')
    expect(dataOf(main, 'user/message').map(({ content }) => content)).toEqual([
      [{ type: 'text', text: 'Make a helper.' }],
    ])
    const called = dataOf(main, 'tool/call').map(({ name }) => name)
    expect(called).toEqual([
      'bash',
      'write',
      'treeline_session_create',
      'treeline_session_status',
      'treeline_session_send',
    ])
    const results = dataOf(main, 'tool/result').map(({ message }) => JSON.stringify(message))
    expect(results).toHaveLength(5)
    expect(results.every((result) => result.includes('"isError":false'))).toBe(true)
    expect(chunksOf(main)).toContain('The helper is there.')
    expect(lastWords(main)).toBe('The helper is there.')
    expect(dataOf(main, 'turn/end')).toMatchObject([{ reason: { kind: 'completed' } }])

    const { tree } = valueOf(await host.tools.session_status({ session_id: id }, HOST))
    const [child, ...others] = tree.subagents
    expect(others).toEqual([])
    const helper = valueOf(await host.tree.locate(idOf(String(child?.session_id))))
    await turnsEnd(helper, 2)
    expect(dataOf(helper, 'tool/call').map((call) => JSON.parse(String(call['arguments'])).command)).toEqual([
      'echo I am the helper',
      'echo and this',
    ])
    expect(results[2]).toContain(helper.id)
    expect(results[3]).toContain(helper.id)
    await expectDshLoads(main)
  })

  test('the tokens it tells with a prompt are of that prompt alone, though of its last request only', async () => {
    const before = model.requests.length
    await say('Go on.')
    expect(lastWords(main)).toBe('I went on.')
    expect(model.requests.length).toBe(before + 1)
    // A sum over the session would be more in the second, a sum over the turn in the first.
    expect(usages(main)).toEqual([told(before), told(before + 1)])
  })

  test('a running prompt is cancelled, and the agent stays', async () => {
    const turns = dataOf(main, 'turn/end').length
    valueOf(await host.tools.session_send({ session_id: main.id, message: 'Wait for me.' }, HOST))
    await until(() => chunksOf(main).includes('I wait'))
    await host.agents?.interrupt(main.id)
    await turnsEnd(main, turns + 1)
    expect(dataOf(main, 'turn/end').at(-1)).toMatchObject({ reason: { kind: 'aborted' } })
    await until(() => model.hungUp() === 1)
    await until(() => host.agents?.status(main.id)?.state === 'idle')
  })

  test('a new agent loads the session again, and knows what was said; it is not written twice', async () => {
    await host.agents?.stop(main.id)
    expect(host.agents?.status(main.id)).toBeUndefined()
    const said = dataOf(main, 'assistant/message').length
    await say('What did I say first?')
    expect(dataOf(main, 'session-tree/history')).toMatchObject([{ how: 'loaded' }])
    expect(lastWords(main)).toBe('You said: Make a helper.')
    expect(dataOf(main, 'assistant/message')).toHaveLength(said + 1)
    expect(keptOf(main)).not.toContain('agent_message_chunk')
    await expectDshLoads(main)
  })

  test('a fork is OpenCode’s own fork of the conversation, with the model that was asked for', async () => {
    const other = { provider: 'mock', model: 'other' }
    const fork = await create({ prompt: 'What did I say first?', fork: true, model: other }, main)
    await turnsEnd(fork, 1)
    expect(dataOf(fork, 'session-tree/history')).toMatchObject([{ how: 'forked' }])
    expect(lastWords(fork)).toBe('You said: Make a helper.')
    expect(agentSession(fork)).not.toBe(agentSession(main))
    expect(keptOf(fork)).not.toContain('agent_message_chunk')
    expect(model.requests.filter(({ tools }) => tools).at(-1)?.model).toBe('other')
    expect(model.requests.filter((request) => request.model === 'other' && request.tools)).toHaveLength(1)
    await expectDshLoads(fork)
  })

  async function create(request: Readonly<Record<string, unknown>>, caller?: SessionPlace): Promise<SessionPlace> {
    const made = valueOf(await host.tools.session_create(request, caller ? session(caller.id) : HOST))
    return valueOf(await host.tree.locate(idOf(made.session_id)))
  }

  async function say(message: string): Promise<void> {
    const turns = dataOf(main, 'turn/end').length
    valueOf(await host.tools.session_send({ session_id: main.id, message }, HOST))
    await turnsEnd(main, turns + 1)
  }
})

/** Its own home, and nothing asked of the network. */
function environment(user: string): Record<string, string> {
  return {
    HOME: user,
    XDG_CONFIG_HOME: join(user, 'config'),
    XDG_CACHE_HOME: join(user, 'cache'),
    XDG_STATE_HOME: join(user, 'state'),
    XDG_DATA_HOME: join(user, 'data'),
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  }
}

function configuration({ baseUrl }: ModelServer): unknown {
  const provider = {
    npm: '@ai-sdk/openai-compatible',
    options: { baseURL: baseUrl, apiKey: 'x' },
    models: { mock: { name: 'Mock' }, other: { name: 'Other' } },
  }
  return { provider: { mock: provider }, enabled_providers: ['mock'], model: 'mock/mock', permission: { edit: 'ask' } }
}

function told(request: number): unknown {
  const { input, output } = tokensOfRequest(request)
  return { inputTokens: input, outputTokens: output }
}

/** The model's part. A request without tools asks for a title. */
function answer({ messages, tools = [] }: ModelRequest): ModelAnswer {
  if (tools.length === 0) return { text: 'A title' }
  const asked = messages.findLastIndex(({ role }) => role === 'user')
  const words = textOf(messages[asked]?.content)
  if (words.includes('Go on.')) return { text: 'I went on.' }
  if (words.includes('Wait for me.')) return { hangsAfter: 'I wait ' }
  if (words.includes('What did I say first?')) {
    return { text: `You said: ${textOf(messages.find(({ role }) => role === 'user')?.content)}` }
  }
  const results = messages.slice(asked + 1).filter(({ role }) => role === 'tool')
  return turnWithTools(results.map(({ content }) => textOf(content)))
}

const call = (tool: string, given: unknown) => ({ tool, arguments: given })

function turnWithTools(results: readonly string[]): ModelAnswer {
  const [, , made] = results
  switch (results.length) {
    case 0:
      return { calls: [call('bash', { command: 'echo ran > ran.txt', description: 'Runs' })] }
    case 1:
      return { calls: [call('write', { filePath: 'made.txt', content: 'by opencode\n' })] }
    case 2:
      return { calls: [call('treeline_session_create', { prompt: 'echo I am the helper', preset: 'shell' })] }
    case 3:
      return { calls: [call('treeline_session_status', {})] }
    case 4: {
      const helper = /session-[0-9a-f-]{36}/.exec(made ?? '')?.[0]
      return { calls: [call('treeline_session_send', { session_id: helper, message: 'echo and this' })] }
    }
    default:
      return { text: 'The helper is there.' }
  }
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map(pieceOf).join('')
}

function pieceOf(part: unknown): string {
  const text = asRecord(part)?.['text']
  return typeof text === 'string' ? text : ''
}

/** The data of a session's own events of a type: what it was forked with is the parent's. */
function dataOf(place: SessionPlace, type: string): Record<string, unknown>[] {
  const [header = ''] = readFileSync(place.logPath, 'utf8').split('\n', 1)
  const seedLength = Number(asRecord(JSON.parse(header))?.['seedLength'] ?? 0)
  const own = eventsIn(place.logPath).filter((event) => event.type === type && event.seq >= seedLength)
  return own.map(({ data }) => ({ ...asRecord(data) }))
}

function chunksOf(place: SessionPlace): string {
  return dataOf(place, 'assistant/chunk')
    .map(({ chunk }) => pieceOf(chunk))
    .join('')
}

function lastWords(place: SessionPlace): string {
  const message = asRecord(dataOf(place, 'assistant/message').at(-1)?.['message'])
  return textOf(message?.['content'])
}

const usages = (place: SessionPlace) => dataOf(place, 'assistant/message').flatMap(({ usage }) => usage ?? [])

/** The kinds of updates that were kept aside. */
const keptOf = (place: SessionPlace) =>
  dataOf(place, 'session-tree/acp-update').map(({ update }) => asRecord(update)?.['sessionUpdate'])

const agentSession = (place: SessionPlace) => dataOf(place, 'session-tree/agent').at(-1)?.['agentSession']

const turnsEnd = (place: SessionPlace, count: number) => until(() => dataOf(place, 'turn/end').length >= count)

/** What happens in other processes shows in files and requests: it is looked at until it is there, or the test times out. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 50))
}

async function expectDshLoads(place: SessionPlace): Promise<void> {
  const dsh = await startDshBackend()
  const reading = await dsh.load(place.logPath).finally(() => dsh.stop())
  expect(reading.repaired).toBe(false)
  expect(reading.events).toHaveLength(eventsIn(place.logPath).length)
}
