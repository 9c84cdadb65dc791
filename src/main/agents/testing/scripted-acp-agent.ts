// An agent of its own process, built on the SDK's agent side. What a prompt says is what it plays.
// node scripted-acp-agent.ts [no-load] [resume] [fork] [forks-fail] [early] [dies] [wants-login] [allows-always]
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { Readable, Writable } from 'node:stream'
import {
  agent,
  methods,
  ndJsonStream,
  RequestError,
  type AgentContext,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk/unstable'

const options = new Set(process.argv.slice(2))
/** What it was asked, one JSON line each, in its folder: for a test to look at. */
const RECEIVED = 'received.jsonl'

type Update = SessionUpdate | { sessionUpdate: string }

interface Turn {
  readonly text: string
  readonly signal: AbortSignal
  readonly say: (update: Update) => Promise<void>
  readonly message: (text: string, messageId?: string) => Promise<void>
  readonly ask: (toolCallId: string) => Promise<string>
}

type Played = StopReason | { stopReason: StopReason; usage: Record<string, number> }

const printed = (text: string) => [{ type: 'content' as const, content: { type: 'text' as const, text } }]

const entry = (content: string, status: 'completed' | 'in_progress') => ({
  content,
  status,
  priority: 'high' as const,
})

const scripts: Readonly<Record<string, (turn: Turn) => Promise<Played>>> = {
  async streams({ say, message }) {
    await say({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'Think' } })
    await say({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'ing.' } })
    for (const word of ['Two ', 'plus ', 'two ', 'is four.']) await message(word, 'm1')
    await message('Another message.', 'm2')
    const usage = { totalTokens: 15, inputTokens: 10, outputTokens: 5, cachedReadTokens: 3, thoughtTokens: 2 }
    return { stopReason: 'end_turn', usage }
  },
  async tools({ say, message }) {
    await message('I look. ')
    await say({ sessionUpdate: 'tool_call', toolCallId: 'a', title: 'bash', kind: 'execute', status: 'pending' })
    await say({
      sessionUpdate: 'tool_call',
      toolCallId: 'b',
      title: 'Edit a file',
      kind: 'edit',
      rawInput: { path: '/x' },
    })
    const run = { sessionUpdate: 'tool_call_update', toolCallId: 'a' } as const
    await say({ ...run, status: 'in_progress', rawInput: { command: 'ls' } })
    await say({ ...run, status: 'in_progress', content: printed('one\n') })
    await say({ ...run, status: 'in_progress', content: printed('one\ntwo\n') })
    await say({ ...run, status: 'completed', content: printed(`one\ntwo\n${process.env['TREELINE_TOKEN']}\n`) })
    const diff = { type: 'diff' as const, path: '/x', oldText: 'a', newText: 'b' }
    await say({ sessionUpdate: 'tool_call_update', toolCallId: 'b', status: 'failed', content: [diff] })
    await message('Done, with one failure.')
    await say({ sessionUpdate: 'tool_call', toolCallId: 'c', title: 'never answered', status: 'in_progress' })
    return 'end_turn'
  },
  async asks({ ask, message, say }) {
    await say({
      sessionUpdate: 'tool_call',
      toolCallId: 'p',
      title: 'rm',
      status: 'pending',
      rawInput: { command: 'rm x' },
    })
    const answer = await ask('p')
    const status = answer.startsWith('allow') ? ('completed' as const) : ('failed' as const)
    await say({ sessionUpdate: 'tool_call_update', toolCallId: 'p', status })
    await message(`You said ${answer}.`)
    return answer === 'cancelled' ? 'cancelled' : 'end_turn'
  },
  async plans({ say }) {
    await say({ sessionUpdate: 'plan', entries: [entry('First', 'completed'), entry('Second', 'in_progress')] })
    await say({ sessionUpdate: 'usage_update', used: 10, size: 100 })
    await say({ sessionUpdate: 'something_new' })
    return 'end_turn'
  },
  async dies({ message }) {
    await message('Half an ans')
    process.stderr.write(`out of cheese, ${process.env['TREELINE_TOKEN']}\n`)
    process.exit(7)
  },
  /** Never says that its calls run. */
  async waits({ say, signal }) {
    for (const toolCallId of ['a', 'b']) {
      await say({ sessionUpdate: 'tool_call', toolCallId, title: 'bash', kind: 'execute', status: 'pending' })
      await say({ sessionUpdate: 'tool_call_update', toolCallId, rawInput: { command: `sleep ${toolCallId}` } })
    }
    await untilAborted(signal)
    return 'cancelled'
  },
  async cancels({ message, signal }) {
    await message('Working')
    await untilAborted(signal)
    return 'cancelled'
  },
  async hangs({ message }) {
    await message('Never ends')
    return new Promise(() => undefined)
  },
  async shouts() {
    process.stdout.write('x'.repeat(17 * 1024 * 1024))
    return new Promise(() => undefined)
  },
  async talks({ message }) {
    for (let piece = 0; piece < 30; piece++) await message('y'.repeat(50_000))
    return 'end_turn'
  },
  async chatters({ message }) {
    process.stdout.write('This is not JSON.\n[1]\n')
    await message('Fine.')
    return 'max_tokens'
  },
  /** Tells the numbers that it is given: `counts 10 5`. */
  async counts({ text, message }) {
    const [, input, output] = text.split(' ').map(Number)
    await message('Counted.')
    return { stopReason: 'end_turn', usage: { inputTokens: input ?? 0, outputTokens: output ?? 0 } }
  },
  refuses: () => Promise.resolve('refusal'),
  fails: () => Promise.reject(new RequestError(-32603, 'Internal error', { details: 'no credit left' })),
  async answers({ message, text }) {
    await message(`echo: ${text}`)
    return 'end_turn'
  },
}

const turns = new Map<string, AbortController>()
let sessions = 0

function received(method: string, params: unknown): void {
  appendFileSync(RECEIVED, `${JSON.stringify({ method, params })}\n`)
}

function wasOpened(sessionId: string): boolean {
  return (
    existsSync(RECEIVED) && readFileSync(RECEIVED, 'utf8').includes(`"opened","params":${JSON.stringify(sessionId)}`)
  )
}

const configOptions = [
  {
    id: 'llm',
    name: 'Model',
    type: 'select' as const,
    category: 'model',
    currentValue: 'small',
    options: [
      { value: 'small', name: 'Small' },
      { value: 'maker/large', name: 'Large' },
    ],
  },
  {
    id: 'effort',
    name: 'Thinking',
    type: 'select' as const,
    category: 'thought_level',
    currentValue: 'low',
    options: [
      { value: 'low', name: 'Low' },
      { value: 'high', name: 'High' },
    ],
  },
]

async function opened(
  client: AgentContext,
  kind: string,
): Promise<{ sessionId: string; configOptions: typeof configOptions }> {
  if (options.has('wants-login')) throw RequestError.authRequired()
  sessions += 1
  const sessionId = `${kind}-${process.pid}-${sessions}`
  received('opened', sessionId)
  if (options.has('early')) {
    await client.notify(methods.client.session.update, {
      sessionId,
      update: { sessionUpdate: 'available_commands_update', availableCommands: [{ name: 'init', description: 'x' }] },
    })
  }
  return { sessionId, configOptions }
}

/** What was said in the session is said again. */
async function repeat(sessionId: string, client: AgentContext): Promise<void> {
  for (const text of ['What was ', 'said before.']) {
    const update = { sessionUpdate: 'agent_message_chunk' as const, content: { type: 'text' as const, text } }
    await client.notify(methods.client.session.update, { sessionId, update })
  }
}

function known(sessionId: string): void {
  if (!wasOpened(sessionId)) throw RequestError.resourceNotFound(sessionId)
}

async function play(sessionId: string, text: string, client: AgentContext): Promise<Played> {
  const controller = new AbortController()
  turns.set(sessionId, controller)
  const say = (update: Update) => client.notify('session/update', { sessionId, update })
  const turn: Turn = {
    text,
    signal: controller.signal,
    say,
    message: (words, messageId) =>
      say({
        sessionUpdate: 'agent_message_chunk',
        content: { type: 'text', text: words },
        ...(messageId && { messageId }),
      }),
    async ask(toolCallId) {
      const { outcome } = await client.request(methods.client.session.requestPermission, {
        sessionId,
        toolCall: { toolCallId },
        options: [
          { optionId: 'never', name: 'Never', kind: 'reject_always' },
          { optionId: 'no', name: 'No', kind: 'reject_once' },
          options.has('allows-always')
            ? { optionId: 'allow-all', name: 'Always', kind: 'allow_always' }
            : { optionId: 'allow-it', name: 'Yes', kind: 'allow_once' },
        ],
      })
      return outcome.outcome === 'selected' ? outcome.optionId : 'cancelled'
    },
  }
  return (scripts[text.split(' ')[0] ?? ''] ?? scripts['answers'])?.(turn) ?? 'end_turn'
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

if (options.has('dies')) {
  process.stderr.write('no such model\n')
  process.exit(3)
}

agent({ name: 'scripted' })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: 1,
    agentInfo: { name: 'scripted', version: '1' },
    authMethods: [{ id: 'key', name: 'API key' }],
    agentCapabilities: {
      loadSession: !options.has('no-load'),
      sessionCapabilities: { ...(options.has('fork') && { fork: {} }), ...(options.has('resume') && { resume: {} }) },
    },
  }))
  .onRequest(methods.agent.session.new, ({ params, client }) => {
    received('session/new', params)
    return opened(client, 'new')
  })
  .onRequest(methods.agent.session.fork, async ({ params, client }) => {
    received('session/fork', params)
    known(params.sessionId)
    if (options.has('forks-fail')) throw RequestError.internalError({ details: 'the conversation is too old' })
    const fork = await opened(client, 'fork')
    await repeat(fork.sessionId, client)
    return fork
  })
  .onRequest(methods.agent.session.resume, ({ params }) => {
    received('session/resume', params)
    known(params.sessionId)
    return {}
  })
  .onRequest(methods.agent.session.load, async ({ params, client }) => {
    received('session/load', params)
    known(params.sessionId)
    await repeat(params.sessionId, client)
    return { configOptions }
  })
  .onRequest(methods.agent.session.setConfigOption, ({ params }) => {
    received('session/set_config_option', params)
    for (const option of configOptions) {
      if (option.id === params.configId) option.currentValue = String(params.value)
    }
    return { configOptions }
  })
  .onNotification(methods.agent.session.cancel, ({ params }) => turns.get(params.sessionId)?.abort())
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    received('session/prompt', params)
    const last = params.prompt.at(-1)
    const played = await play(params.sessionId, last?.type === 'text' ? last.text : '', client)
    if (typeof played === 'string') return { stopReason: played }
    const { totalTokens = 0, inputTokens = 0, outputTokens = 0, ...more } = played.usage
    return { stopReason: played.stopReason, usage: { totalTokens, inputTokens, outputTokens, ...more } }
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)))
