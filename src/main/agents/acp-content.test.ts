import { describe, expect, test } from 'vitest'
import { diffsOf, jsonWithin, shortened, textOfContent, todosOf, toolText, turnEndOf } from './acp-content.ts'

describe('a text that is too long', () => {
  test('keeps its beginning and its end, and counts what is left out', () => {
    expect(shortened('abcdefghij', 10)).toBe('abcdefghij')
    expect(shortened('abcdefghijk', 10)).toBe('abcde\n[… 1 letters left out …]\nghijk')
    expect(shortened('x'.repeat(10_000), 10)).toContain('9,990 letters left out')
  })

  test('is not cut through a letter of two units', () => {
    const cut = shortened('😀'.repeat(20), 11)
    expect(cut.isWellFormed()).toBe(true)
    expect(cut.match(/😀/gu)).toHaveLength(4)
  })
})

describe('JSON within a bound', () => {
  test('is the value as it is, or says that it was cut', () => {
    expect(jsonWithin({ a: [1] }, 100)).toBe('{"a":[1]}')
    expect(JSON.parse(jsonWithin({ text: 'y'.repeat(500) }, 100))).toEqual({
      truncated: `{"text":"${'y'.repeat(91)}`,
      letters: 511,
    })
  })

  test.each([undefined, () => 1])('is null for what JSON has no word for', (value) => {
    expect(jsonWithin(value, 100)).toBe('null')
  })
})

describe('a content block in words', () => {
  test.each([
    [{ type: 'text', text: 'hello ' }, 'hello '],
    [{ type: 'text' }, ''],
    [{ type: 'resource_link', uri: 'file:///a.md', name: 'a.md' }, '[a.md](file:///a.md)'],
    [{ type: 'resource_link', uri: 'file:///a.md', name: 'a.md', title: 'About a' }, '[About a](file:///a.md)'],
    [{ type: 'resource', resource: { uri: 'file:///a.md', text: 'whole' } }, 'whole'],
    [{ type: 'resource', resource: { uri: 'file:///a.png', blob: 'AAAA', mimeType: 'image/png' } }, '[file:///a.png]'],
    [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }, '[image: image/png]'],
    [{ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }, '[audio: audio/wav]'],
    [{ type: 'hologram', data: 'AAAA' }, '[hologram]'],
    [{ type: 'image' }, '[image]'],
    ['hello', ''],
    [null, ''],
  ])('%j', (block, words) => {
    expect(textOfContent(block)).toBe(words)
  })
})

describe('what a tool said', () => {
  test('is its content, piece by piece', () => {
    const content = [
      { type: 'content', content: { type: 'text', text: 'one' } },
      { type: 'diff', path: '/new', newText: 'x' },
      { type: 'diff', path: '/old', oldText: '', newText: 'x' },
      { type: 'terminal', terminalId: 't1' },
      { type: 'unheard-of' },
    ]
    expect(toolText(content, { output: 'not this' })).toBe('one\nWrote /new\nChanged /old\n[terminal t1]')
  })

  test.each([
    ['text', 'text'],
    [{ output: 'out', metadata: {} }, 'out'],
    [{ error: 'no such file' }, 'no such file'],
    [{ stdout: 'printed', stderr: 'warned' }, 'printed'],
    [{ rows: 3 }, '{"rows":3}'],
    [[1, 2], '[1,2]'],
    [null, ''],
    [undefined, ''],
  ])('without content: its raw output %j', (rawOutput, words) => {
    expect(toolText([], rawOutput)).toBe(words)
    expect(toolText(null, rawOutput)).toBe(words)
  })
})

const diff = (path: string, more = {}) => ({ type: 'diff', path, newText: 'new', ...more })

test('diffs are kept in DSH’s shape, within bounds; a new file has no old text', () => {
  expect(diffsOf([diff('/a', { oldText: 'old' }), { type: 'content' }, diff('/b', { oldText: null })])).toEqual([
    { path: '/a', oldText: 'old', newText: 'new' },
    { path: '/b', oldText: '', newText: 'new' },
  ])
  expect(diffsOf(Array.from({ length: 80 }, (_, index) => diff(`/${index}`)))).toHaveLength(50)
  expect(diffsOf([diff('/long', { oldText: 'z'.repeat(60_000) })])[0]?.oldText).toContain('10,000 letters left out')
  expect(diffsOf('nothing')).toEqual([])
})

describe('a plan as a todo list', () => {
  test('has DSH’s states; what is no state waits', () => {
    const entries = [
      { content: 'a', priority: 'high', status: 'pending' },
      { content: 'b', priority: 'low', status: 'in_progress' },
      { content: 'c', priority: 'low', status: 'completed' },
      { content: 'd', status: 'cancelled' },
      { content: 'e' },
    ]
    expect(todosOf(entries)?.map(({ content, status }) => `${content} ${status}`)).toEqual([
      'a pending',
      'b in_progress',
      'c completed',
      'd pending',
      'e pending',
    ])
    expect(todosOf([])).toEqual([])
  })

  test('is bounded, in entries and in letters', () => {
    expect(todosOf(Array.from({ length: 300 }, () => ({ content: 'x', status: 'pending' })))).toHaveLength(200)
    expect(todosOf([{ content: 'x'.repeat(1_000_000) }])?.[0]?.content.length).toBeLessThan(5000)
  })

  test('is none where there are no entries', () => {
    expect(todosOf(undefined)).toBeUndefined()
    expect(todosOf('text')).toBeUndefined()
  })
})

test.each([
  ['end_turn', { kind: 'completed' }],
  ['cancelled', { kind: 'aborted' }],
  ['max_tokens', { kind: 'max-tokens' }],
  ['max_turn_requests', { kind: 'max-steps' }],
])('the stop reason %s', (reason, end) => {
  expect(turnEndOf(reason)).toEqual(end)
})

test('a refusal and what is not known are errors in words', () => {
  expect(turnEndOf('refusal')).toMatchObject({ kind: 'error', code: 'agent_refused' })
  expect(turnEndOf('bored')).toMatchObject({
    kind: 'error',
    code: 'agent_failed',
    message: expect.stringMatching(/bored/),
  })
  expect(turnEndOf(undefined)).toMatchObject({ kind: 'error', code: 'agent_failed' })
})
