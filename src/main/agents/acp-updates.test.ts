import { beforeEach, describe, expect, test } from 'vitest'
import type { EventDraft } from '../../shared/session-event.ts'
import { ok } from '../../shared/result.ts'
import type { TokenUsage } from './agent.ts'
import { createTurnUpdates, type TurnUpdates } from './acp-updates.ts'
import { MASK } from './masking.ts'
import { createTurnLog } from './turn-log.ts'

/* Each test plays what an agent may send by ACP's schema, and looks at the DSH events that come of it. */

const SECRET = 'token-0123456789abcdef'

let updates: TurnUpdates
let answered: Set<string>
let written: EventDraft[]
let finish: (how?: { isInterrupted?: boolean; usage?: TokenUsage }) => Promise<void>

beforeEach(() => {
  answered = new Set()
  written = []
  begin()
})

/** A turn; what is over in it is known in those that follow. */
function begin(): void {
  const log = createTurnLog({
    turn: 1,
    now: () => 0,
    append: async (drafts) => {
      written.push(...drafts)
      return ok(undefined)
    },
    events: { onUsage: () => undefined, onStep: () => undefined, onFailure: () => undefined },
  })
  updates = createTurnUpdates({ log, secrets: [SECRET], answered, provider: 'p', model: () => 'm' })
  finish = async ({ isInterrupted = false, usage } = {}) => {
    updates.finish({ isInterrupted, usage })
    await log.end({ kind: 'completed' }, [])
  }
}

const say = (text: string, messageId?: string) =>
  updates.take({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text }, messageId })
const think = (text: string) => updates.take({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } })
const call = (toolCallId: string, more = {}) =>
  updates.take({ sessionUpdate: 'tool_call', toolCallId, title: 'bash', kind: 'execute', ...more })
const update = (toolCallId: string, more = {}) =>
  updates.take({ sessionUpdate: 'tool_call_update', toolCallId, ...more })
const piece = (content: unknown) => updates.take({ sessionUpdate: 'agent_message_chunk', content })
const entry = (content: string, status: string) => ({ content, status, priority: 'high' })
const printed = (text: string) => ({ content: [{ type: 'content', content: { type: 'text', text } }] })

const running = (text: string) => update('a', { status: 'in_progress', ...printed(text) })

const dataOf = (type: string) => written.filter((event) => event.type === type).map(({ data }) => Object(data))
const messages = () => dataOf('assistant/message').map(({ message }) => message.content)
const results = () => dataOf('tool/result').map(({ message }) => message.content[0])
const kept = () => dataOf('session-tree/acp-update').map((data) => data.update)
/** The order of messages, calls and results, with their steps. */
const order = () =>
  written.flatMap(({ type, data }) => (/^(assistant\/message|tool)/.test(type) ? `${type} ${Object(data).step}` : []))

describe('messages', () => {
  test('are put together from their pieces, reasoning beside text, tokens with the last', async () => {
    think('Hm.')
    say('Two ')
    say('plus two.')
    await finish({ usage: { inputTokens: 1, outputTokens: 2 } })
    expect(messages()).toEqual([
      [
        { type: 'reasoning', text: 'Hm.' },
        { type: 'text', text: 'Two plus two.' },
      ],
    ])
    expect(dataOf('assistant/message')[0]).toMatchObject({
      usage: { inputTokens: 1, outputTokens: 2 },
      message: { source: { kind: 'model', provider: 'p', model: 'm' } },
    })
  })

  test('are several in one step where their ids differ and nothing was called between', async () => {
    say('One.', 'm1')
    say('Two.', 'm2')
    await finish()
    expect(order()).toEqual(['assistant/message 1', 'assistant/message 1'])
  })

  test('that were cut short say so; those that were whole do not', async () => {
    say('Whole.', 'm1')
    say('Half a', 'm2')
    await finish({ isInterrupted: true })
    expect(dataOf('assistant/message').map(({ interrupted }) => interrupted)).toEqual([undefined, true])
  })

  test('name what is no text, and tell nothing where there is nothing', async () => {
    piece({ type: 'image', data: 'AAAA', mimeType: 'image/png' })
    piece({ type: 'text', text: '' })
    piece(undefined)
    await finish()
    expect(messages()).toEqual([[{ type: 'text', text: '[image: image/png]' }]])
  })

  test('show no secret that begins in one piece and ends in another', async () => {
    say(`a ${SECRET.slice(0, 9)}`)
    say(`${SECRET.slice(9)} b`)
    await finish()
    expect(JSON.stringify(written)).not.toContain(SECRET.slice(0, 9))
    expect(messages()).toEqual([[{ type: 'text', text: `a ${MASK} b` }]])
  })

  test('tokens without a word are kept all the same', async () => {
    await finish({ usage: { inputTokens: 1, outputTokens: 2 } })
    expect(dataOf('assistant/message')).toMatchObject([{ usage: { inputTokens: 1 }, message: { content: [] } }])
  })
})

describe('tool calls', () => {
  test('stand behind the message that asks for them, and the model’s next words begin a step', async () => {
    say('I look. ')
    call('a', { status: 'pending' })
    update('a', { status: 'in_progress', rawInput: { command: 'ls' } })
    update('a', { status: 'completed', ...printed('x') })
    say('Done.')
    await finish()
    expect(order()).toEqual(['assistant/message 1', 'tool/call 1', 'tool/result 1', 'assistant/message 2'])
    expect(messages()[0]).toEqual([
      { type: 'text', text: 'I look. ' },
      { type: 'tool-call', id: 'a', name: 'bash', arguments: '{"command":"ls"}' },
    ])
    expect(results()).toMatchObject([{ toolCallId: 'a', isError: false, content: [{ text: 'x' }] }])
  })

  test('that are asked for together are announced together, each with its whole input', async () => {
    call('a', { status: 'pending', rawInput: { command: 'one' } })
    call('b', { status: 'pending', rawInput: { command: 'two' } })
    // Not all that is known of it: it comes with its own message.
    call('c', { status: 'pending', rawInput: { cwd: '/project' } })
    update('a', { status: 'completed' })
    update('c', { status: 'in_progress', rawInput: { command: 'three', cwd: '/project' } })
    update('b', { status: 'completed' })
    update('c', { status: 'completed' })
    await finish()
    expect(messages().map((content) => content.map(({ id }: { id: string }) => id))).toEqual([['a', 'b'], ['c']])
    expect(dataOf('tool/call').map((data) => JSON.parse(data.arguments).command)).toEqual(['one', 'two', 'three'])
    expect(results().map(({ toolCallId }) => toolCallId)).toEqual(['a', 'b', 'c'])
  })

  test('whose update comes before them are one call', async () => {
    update('a', { title: 'bash', status: 'in_progress', rawInput: { command: 'ls' } })
    call('a', { status: 'in_progress', rawInput: { command: 'ls' } })
    update('a', { status: 'completed' })
    await finish()
    expect(dataOf('tool/call')).toMatchObject([{ callId: 'a', name: 'bash' }])
    expect(results()).toHaveLength(1)
  })

  test('of which only the result is told are a call and its result', async () => {
    update('a', { status: 'completed', title: 'bash', rawOutput: { output: 'x' } })
    await finish()
    expect(order()).toEqual(['assistant/message 1', 'tool/call 1', 'tool/result 1'])
  })

  test('are answered once; what is said of them later is kept aside, in later turns too', async () => {
    call('a', { status: 'completed' })
    update('a', { status: 'failed', ...printed('late') })
    await finish()
    begin()
    update('a', { status: 'completed' })
    await finish()
    expect(results()).toHaveLength(1)
    expect(kept()).toMatchObject([
      { toolCallId: 'a', status: 'failed' },
      { toolCallId: 'a', status: 'completed' },
    ])
  })

  test('without an id are kept aside', async () => {
    updates.take({ sessionUpdate: 'tool_call', title: 'bash' })
    await finish()
    expect(dataOf('tool/call')).toEqual([])
    expect(kept()).toMatchObject([{ title: 'bash' }])
  })

  test('that the agent leaves open are closed as unknown, those never begun included', async () => {
    call('a', { status: 'in_progress', rawInput: { command: 'sleep 9' } })
    call('b', { status: 'pending' })
    await finish({ isInterrupted: true })
    expect(results().map(({ toolCallId, isError }) => [toolCallId, isError])).toEqual([
      ['a', true],
      ['b', true],
    ])
    expect(dataOf('tool/result').every(({ error }) => error.code === 'TOOL_OUTCOME_UNKNOWN')).toBe(true)
  })

  test('show what is added to their output while they run, up to a bound', async () => {
    call('a', { status: 'in_progress' })
    running('one\n')
    running('one\n')
    running('one\ntwo\n')
    running('all else\n')
    running(`one\ntwo\n${'x'.repeat(100_000)}`)
    await finish()
    const shown = dataOf('session-tree/output')
    expect(shown[0]).toMatchObject({ callId: 'a', stream: 'stdout' })
    expect(shown.map(({ text }) => text).join('')).toBe(`one\ntwo\n${'x'.repeat(64_000 - 8)}`)
  })

  test('that are asked about stand in the log before, with all that is known of them', async () => {
    call('a', { status: 'pending', rawInput: { command: 'rm x' } })
    expect(updates.ask({ toolCallId: 'a', title: 'Remove x' })).toMatchObject({
      title: 'Remove x',
      rawInput: { command: 'rm x' },
    })
    expect(updates.ask({ toolCallId: 'new', title: 'write', rawInput: { path: '/a' } })).toMatchObject({
      title: 'write',
    })
    await finish()
    expect(dataOf('tool/call').map(({ callId }) => callId)).toEqual(['a', 'new'])
  })
})

describe('plans', () => {
  test('are whole todo lists, each in the place of the one before', async () => {
    updates.take({ sessionUpdate: 'plan', entries: [entry('a', 'in_progress')] })
    updates.take({ sessionUpdate: 'plan', entries: [entry('a', 'completed'), entry('b', 'pending')] })
    updates.take({
      sessionUpdate: 'plan_update',
      plan: { type: 'items', planId: 'p1', entries: [entry('b', 'completed')] },
    })
    await finish()
    expect(dataOf('todo/write').map(({ todos }) => todos)).toEqual([
      [{ content: 'a', status: 'in_progress' }],
      [
        { content: 'a', status: 'completed' },
        { content: 'b', status: 'pending' },
      ],
      [{ content: 'b', status: 'completed' }],
    ])
  })

  test('that are no lists are kept as they come', async () => {
    updates.take({ sessionUpdate: 'plan_update', plan: { type: 'markdown', planId: 'p1', markdown: '# Plan' } })
    updates.take({ sessionUpdate: 'plan' })
    updates.take({ sessionUpdate: 'plan_removed', planId: 'p1' })
    await finish()
    expect(dataOf('todo/write')).toEqual([])
    expect(kept().map(({ sessionUpdate }) => sessionUpdate)).toEqual(['plan_update', 'plan', 'plan_removed'])
  })
})

describe('what has no place in DSH’s log', () => {
  test.each([
    'available_commands_update',
    'current_mode_update',
    'config_option_update',
    'session_info_update',
    'compaction_update',
    'subagent_update',
    'never_heard_of',
  ])('%s is kept as an ignorable event', async (sessionUpdate) => {
    updates.take({ sessionUpdate, anything: ['at', { all: 1 }] })
    await finish()
    expect(kept()).toEqual([{ sessionUpdate, anything: ['at', { all: 1 }] }])
    expect(written.find(({ type }) => type === 'session-tree/acp-update')?.ignorable).toBe(true)
  })

  test('is cut where it is too long, and counted where it is too much', async () => {
    updates.take({ sessionUpdate: 'long', text: 'x'.repeat(50_000) })
    for (let count = 0; count < 600; count++) updates.take({ sessionUpdate: 'many' })
    await finish()
    expect(kept()[0]).toMatchObject({ letters: 50_034 })
    expect(kept()).toHaveLength(501)
    expect(dataOf('session-tree/acp-update').at(-1)).toMatchObject({ omittedUpdates: 101 })
  })

  test('of the context’s size the last word is kept; what the person said is in the log already', async () => {
    for (const used of [1, 2, 3]) updates.take({ sessionUpdate: 'usage_update', used, size: 100 })
    updates.take({ sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'hello' } })
    await finish()
    expect(kept()).toEqual([{ sessionUpdate: 'usage_update', used: 3, size: 100 }])
    expect(messages()).toEqual([])
  })
})
