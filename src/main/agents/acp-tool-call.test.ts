import { describe, expect, test } from 'vitest'
import { argumentsOf, isReady, isSettled, merge, newToolCall, resultOf } from './acp-tool-call.ts'

const call = (first: Record<string, unknown>) => newToolCall('c1', first)

describe('the name of a tool', () => {
  test.each([
    [{ title: 'bash', kind: 'execute' }, 'bash'],
    [{ title: 'treeline_session_create', kind: 'other' }, 'treeline_session_create'],
    [{ title: 'mcp.server/tool', kind: 'other' }, 'mcp.server/tool'],
    [{ title: 'Edit `src/a.ts`', kind: 'edit' }, 'edit'],
    [{ title: 'Edit a file' }, 'tool'],
    [{ title: 'Edit a file', kind: 'edit', name: 'apply_patch' }, 'apply_patch'],
    [{ title: 'ls', kind: 'execute', _meta: { claudeCode: { toolName: 'Bash' } } }, 'Bash'],
    [{}, 'tool'],
  ])('of %j', (first, name) => {
    expect(call(first).name).toBe(name)
  })

  test('is given once: a later title does not change it', () => {
    const made = call({ title: 'bash', kind: 'execute' })
    merge(made, { title: 'List the files' })
    expect(made.name).toBe('bash')
    expect(made.said['title']).toBe('List the files')
  })
})

test('an update changes what it says, and null says nothing', () => {
  const made = call({ title: 'bash', status: 'pending', rawInput: { command: 'ls' }, locations: [{ path: '/a' }] })
  merge(made, { status: 'in_progress', rawInput: null, locations: [] })
  expect(made.said).toMatchObject({ status: 'in_progress', rawInput: { command: 'ls' }, locations: [] })
})

describe('a call is ready to be logged', () => {
  test.each([
    [{ status: 'pending' }, false],
    [{}, false],
    [{ status: 'pending', rawInput: {} }, false],
    [{ status: 'pending', rawInput: { cwd: '/project' } }, false],
    [{ status: 'pending', rawInput: { command: 'ls', cwd: '/project' } }, true],
    [{ rawInput: { path: '/a' } }, true],
    [{ status: 'in_progress' }, true],
    [{ status: 'completed' }, true],
    [{ status: 'failed' }, true],
  ])('%j: %s', (first, isIt) => {
    expect(isReady(call(first))).toBe(isIt)
  })
})

test.each([
  ['completed', true],
  ['failed', true],
  ['in_progress', false],
  ['pending', false],
  ['paused', false],
])('with status %s it is over: %s', (status, isIt) => {
  expect(isSettled(call({ status }))).toBe(isIt)
})

test('arguments are JSON whatever the agent gives, and stay JSON when they are cut', () => {
  expect(argumentsOf(call({ rawInput: { command: 'ls' } }))).toBe('{"command":"ls"}')
  expect(argumentsOf(call({}))).toBe('{}')
  const cut: unknown = JSON.parse(argumentsOf(call({ rawInput: { text: 'x'.repeat(300_000) } })))
  expect(cut).toMatchObject({ letters: 300_011 })
})

describe('a result', () => {
  test('of a call that went well is what it said', () => {
    const content = [{ type: 'content', content: { type: 'text', text: 'one' } }]
    const result = resultOf(call({ title: 'bash', kind: 'execute', status: 'completed', content }))
    expect(result).toEqual({ callId: 'c1', text: 'one', isError: false, meta: { title: 'bash', kind: 'execute' } })
  })

  test('of one that failed is an error of DSH’s kind', () => {
    const result = resultOf(call({ status: 'failed', rawOutput: { error: 'no such file' } }))
    expect(result).toMatchObject({
      text: 'no such file',
      isError: true,
      error: { name: 'ToolError', code: 'tool_failed' },
    })
  })

  test.each([
    ['completed', '(no output)'],
    ['failed', '(failed without a word)'],
  ])('of one that %s without a word says so', (status, text) => {
    expect(resultOf(call({ status })).text).toBe(text)
  })

  test('of one that was left open says that nobody knows, with what it said until then', () => {
    const content = [{ type: 'content', content: { type: 'text', text: 'half' } }]
    expect(resultOf(call({ status: 'in_progress', content }))).toMatchObject({
      text: 'half\nThe agent ended the turn without saying how this went.',
      isError: true,
      error: { code: 'TOOL_OUTCOME_UNKNOWN' },
    })
    expect(resultOf(call({ status: 'in_progress' }), true).text).toBe('The turn was stopped while this ran.')
  })

  test('is bounded, in what it said and in what is known about it', () => {
    const content = [
      { type: 'content', content: { type: 'text', text: 'x'.repeat(300_000) } },
      { type: 'diff', path: '/a', oldText: 'o'.repeat(90_000), newText: 'n' },
    ]
    const locations = Array.from({ length: 500 }, (_, line) => ({ path: '/a', line }))
    const result = resultOf(call({ status: 'completed', content, locations }))
    expect(result.text.length).toBeLessThan(101_000)
    expect(JSON.stringify(result.meta).length).toBeLessThan(60_000)
    expect(result.meta).toMatchObject({ diffs: [{ path: '/a', newText: 'n' }] })
  })
})
