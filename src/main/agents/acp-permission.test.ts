import { describe, expect, test } from 'vitest'
import { outcomeOf, questionOf } from './acp-permission.ts'

const ask = (request: Record<string, unknown>, call: Record<string, unknown> = {}) => questionOf(request, call)

test('the agent’s own choices, those that reject for good last, so that rejecting by itself is for once', () => {
  const options = [
    { optionId: 'ra', name: 'Never', kind: 'reject_always' },
    { optionId: 'aa', name: 'Always', kind: 'allow_always' },
    { optionId: 'a', name: 'Yes', kind: 'allow_once' },
    { optionId: 'r', name: 'No', kind: 'reject_once' },
    { optionId: 'x', kind: 'ask_my_lawyer' },
  ]
  expect(ask({ options }).options).toEqual([
    { id: 'aa', label: 'Always', kind: 'allow_always' },
    { id: 'a', label: 'Yes', kind: 'allow' },
    { id: 'r', label: 'No', kind: 'reject' },
    { id: 'x', label: 'x', kind: 'other' },
    { id: 'ra', label: 'Never', kind: 'reject' },
  ])
})

test('a choice without an id cannot be answered, so it is none', () => {
  expect(
    ask({ options: [{ name: 'Yes', kind: 'allow_once' }, null, { optionId: 'no', kind: 'reject_once' }] }).options,
  ).toEqual([{ id: 'no', label: 'no', kind: 'reject' }])
  expect(ask({}).options).toEqual([])
})

describe('what it is about', () => {
  test.each([
    [{ command: 'rm -r x' }, undefined, 'rm -r x'],
    [{ command: ['rm', '-r', 'x'] }, undefined, 'rm -r x'],
    [{ file_path: '/a' }, undefined, '/a'],
    [{ filePath: '/a' }, undefined, '/a'],
    [{ path: '/a' }, [], '/a'],
    [{ path: '/a' }, [{ path: '/b', line: 3 }, { path: '/c' }], '/b\n/c'],
    [{ url: 'https://x' }, undefined, '{"url":"https://x"}'],
    [{}, undefined, undefined],
    [undefined, undefined, undefined],
  ])('input %j at %j', (rawInput, locations, detail) => {
    expect(ask({}, { title: 'Do it', rawInput, locations }).detail).toBe(detail)
  })

  test.each([
    [{ title: 'Edit a file', kind: 'edit' }, 'Edit a file'],
    [{ name: 'edit', kind: 'edit' }, 'edit'],
    [{ kind: 'edit' }, 'edit'],
    [{}, 'Use a tool'],
  ])('titled by %j', (call, title) => {
    expect(ask({}, call).title).toBe(title)
  })

  test('nothing over-long', () => {
    const question = ask({}, { title: 'x'.repeat(5000), rawInput: { command: 'y'.repeat(5000) } })
    expect(question.title.length).toBeLessThan(2100)
    expect(question.detail?.length).toBeLessThan(2100)
  })
})

test('nothing chosen is cancelled', () => {
  expect(outcomeOf('a')).toEqual({ outcome: 'selected', optionId: 'a' })
  expect(outcomeOf(undefined)).toEqual({ outcome: 'cancelled' })
})
