import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SessionPlace } from '../session-tree/session-tree.ts'
import { startDshBackend, type DshBackend } from '../session-tree/testing/dsh-oracle.ts'
import { eventsIn, valueOf } from '../session-tree/testing/tree-home.ts'
import type { Preset } from './agent.ts'
import { MASK } from './masking.ts'
import { groupRuns } from './process-group.ts'
import { dataOf, makeAcpHome, messagesOf, reasonOf, type AcpHome } from './testing/acp-home.ts'
import { logOf, untilLogged } from './testing/agent-home.ts'

let home: AcpHome
let dsh: DshBackend

beforeEach(async () => {
  dsh = await startDshBackend()
})
afterEach(async () => {
  await dsh.stop()
  await home.remove()
})

function open(options: readonly string[] = [], more: Partial<Preset> = {}): void {
  home = makeAcpHome(options, more)
}

async function expectDshLoads(place: SessionPlace): Promise<void> {
  const reading = await dsh.load(place.logPath)
  expect(reading.repaired).toBe(false)
  expect(reading.events.map(({ type }) => type)).toEqual(eventsIn(place.logPath).map(({ type }) => type))
}

test('a message comes in pieces and stands in the log whole, with its reasoning and the turn’s tokens', async () => {
  open()
  const place = await home.play('streams')
  expect(messagesOf(place)).toEqual([
    [
      { type: 'reasoning', text: 'Thinking.' },
      { type: 'text', text: 'Two plus two is four.' },
    ],
    [{ type: 'text', text: 'Another message.' }],
  ])
  const chunks = dataOf(place, 'assistant/chunk').map(({ chunk }) => Object(chunk))
  expect(chunks.every(({ type }) => type === 'text-delta' || type === 'reasoning-delta')).toBe(true)
  expect(chunks.map(({ text }) => text).join('')).toBe('Thinking.Two plus two is four.Another message.')
  const [, last] = dataOf(place, 'assistant/message')
  expect(last?.['usage']).toEqual({ inputTokens: 10, outputTokens: 5, cacheReadTokens: 3, reasoningTokens: 2 })
  expect(last?.['message']).toMatchObject({ source: { kind: 'model', provider: 'acp', model: 'small' } })
  expect(reasonOf(place)).toEqual({ kind: 'completed' })
  await expectDshLoads(place)
})

test('tool calls are answered in their step, the model’s next words begin another, and what was left open is told', async () => {
  open()
  const place = await home.play('tools')
  const told = logOf(place).filter(({ type }) => /^(step|assistant\/message|tool)/.test(type))
  expect(told.map(({ type, data }) => `${type} ${String(data['step'])}`)).toEqual([
    'step/start 1',
    'assistant/message 1',
    'tool/call 1',
    'tool/call 1',
    'tool/result 1',
    'tool/result 1',
    'step/end 1',
    'step/start 2',
    'assistant/message 2',
    'tool/call 2',
    'tool/result 2',
    'step/end 2',
  ])
  expect(messagesOf(place)[0]).toEqual([
    { type: 'text', text: 'I look. ' },
    { type: 'tool-call', id: 'a', name: 'bash', arguments: '{"command":"ls"}' },
    { type: 'tool-call', id: 'b', name: 'edit', arguments: '{"path":"/x"}' },
  ])
  const results = dataOf(place, 'tool/result')
  expect(results.map(({ message }) => Object(message).content[0])).toMatchObject([
    { toolCallId: 'a', isError: false, content: [{ type: 'text', text: `one\ntwo\n${MASK}\n` }] },
    { toolCallId: 'b', isError: true, content: [{ type: 'text', text: 'Changed /x' }] },
    { toolCallId: 'c', isError: true },
  ])
  expect(results[1]?.['meta']).toMatchObject({
    title: 'Edit a file',
    diffs: [{ path: '/x', oldText: 'a', newText: 'b' }],
  })
  expect(results[2]?.['error']).toEqual({ name: 'ToolError', code: 'TOOL_OUTCOME_UNKNOWN' })
  expect(
    dataOf(place, 'session-tree/output')
      .map(({ text }) => text)
      .join(''),
  ).toBe('one\ntwo\n')
  await expectDshLoads(place)
})

test('calls that the agent does not say to run are shown all the same, together', async () => {
  open()
  const place = await home.acpSession('waits')
  home.host.wake(place.id)
  await untilLogged(place, ({ type }) => type === 'tool/call')
  await home.host.interrupt(place.id)
  expect(messagesOf(place)).toHaveLength(1)
  expect(dataOf(place, 'tool/call').map((call) => call['arguments'])).toEqual([
    '{"command":"sleep a"}',
    '{"command":"sleep b"}',
  ])
})

test('a plan is a todo list; what is not known is kept, and no update is lost that came early', async () => {
  open(['early'])
  const place = await home.play('plans')
  expect(dataOf(place, 'todo/write')).toEqual([
    {
      todos: [
        { content: 'First', status: 'completed' },
        { content: 'Second', status: 'in_progress' },
      ],
    },
  ])
  const kept = dataOf(place, 'session-tree/acp-update')
  expect(kept.map(({ update }) => Object(update).sessionUpdate)).toEqual([
    'available_commands_update',
    'something_new',
    'usage_update',
  ])
  expect(kept[0]).toMatchObject({ betweenTurns: true, update: { availableCommands: [{ name: 'init' }] } })
  await expectDshLoads(place)
})

test('Stop cancels the turn and the agent stays; one that does not listen is ended', async () => {
  open()
  const place = await home.acpSession('cancels')
  home.host.wake(place.id)
  await untilLogged(place, ({ type }) => type === 'assistant/chunk')
  await home.host.interrupt(place.id)
  expect(reasonOf(place)).toMatchObject({ kind: 'aborted' })
  expect(dataOf(place, 'assistant/message')[0]).toMatchObject({ interrupted: true })
  await home.say(place, 'again')
  expect(home.received('session/new')).toHaveLength(1)

  expect(home.host.status(place.id)?.state).toBe('idle')
  valueOf(await home.tree.queuePrompt(place.id, 'hangs'))
  home.host.wake(place.id)
  await untilLogged(place, ({ data }) => JSON.stringify(data).includes('Never ends'))
  await home.host.stop(place.id)
  expect(reasonOf(place)).toMatchObject({ kind: 'aborted' })
  expect(home.host.status(place.id)).toBeUndefined()
  await expectDshLoads(place)
})

test('an agent that dies ends its turn with its last words, masked; the next message starts another', async () => {
  open()
  const place = await home.play('dies')
  expect(reasonOf(place)).toMatchObject({
    kind: 'error',
    error: {
      code: 'agent_failed',
      message: `The agent ended with exit code 7. Its last words: out of cheese, ${MASK}`,
    },
  })
  expect(dataOf(place, 'assistant/message')[0]).toMatchObject({
    interrupted: true,
    message: { content: [{ type: 'text', text: 'Half an ans' }] },
  })
  await home.say(place, 'are you there?')
  expect(messagesOf(place).at(-1)).toEqual([{ type: 'text', text: 'echo: are you there?' }])
  await expectDshLoads(place)
})

test('a message that is too large ends the agent, and says so', async () => {
  open()
  const place = await home.play('shouts')
  const { error } = Object(reasonOf(place))
  expect(error.message).toMatch(
    /^The agent was ended: it sent a message of more than 16 MB\. The agent ended by SIGTERM/,
  )
})

test('a text that is too long is cut, and what is left out is counted', async () => {
  open()
  const long = await home.play('talks')
  const [text, omitted] = messagesOf(long)[0]
  expect(text.text).toHaveLength(1_000_000)
  expect(omitted.text).toBe('[… 500,000 letters left out …]')
  await expectDshLoads(long)
})

test('free text on standard output is passed over; stop reasons and refusals are told as they are', async () => {
  open()
  const place = await home.play('chatters')
  expect(messagesOf(place)).toEqual([[{ type: 'text', text: 'Fine.' }]])
  expect(reasonOf(place)).toMatchObject({ kind: 'max-tokens' })
  await home.say(place, 'refuses')
  expect(reasonOf(place)).toMatchObject({ kind: 'error', error: { code: 'agent_refused' } })
  await home.say(place, 'fails')
  expect(Object(reasonOf(place)).error.message).toContain('no credit left')
  await expectDshLoads(place)
})

test('what keeps an agent from starting is said in words', async () => {
  const failureOf = async (options: string[], more: Partial<Preset> = {}): Promise<string> => {
    open(options, more)
    const place = await home.play('hello')
    const { error } = Object(reasonOf(place))
    expect(home.revoked).toEqual(home.tokens)
    return error.message
  }
  expect(await failureOf(['dies'])).toBe('The agent ended with exit code 3. Its last words: no such model')
  await home.remove()
  expect(await failureOf(['wants-login'])).toContain('wants you to log in first (API key)')
  await home.remove()
  expect(await failureOf([], { command: '/no/such/program' })).toContain('could not be started: spawn /no/such/program')
})

test('ending the agent ends all that it has started', async () => {
  open()
  const place = await home.play('hello')
  const pid = Number(/-(\d+)-/.exec(String(dataOf(place, 'session-tree/agent')[0]?.['agentSession']))?.[1])
  expect(await groupRuns(pid)).toBe(true)
  await home.host.stop(place.id)
  expect(await groupRuns(pid)).toBe(false)
})
