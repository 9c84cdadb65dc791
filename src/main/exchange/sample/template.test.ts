import { expect, test } from 'vitest'
import { parseDuration, parseTemplate } from './template.ts'
import { toTurns } from './turns.ts'

const HEAD = 'kind: main\nproject: notes\nended: 3h\n'

test('fields and blocks', () => {
  const template = parseTemplate(
    '07-my-key.md',
    `kind: fork
parent: other
title: One: two
titled by: user
project: notes
ended: 1.5m
after: turn 2 step 1
worktree: kept

::: you +4m
First line.

Second.

::: thinks
Hm.

::: call bash
{"command": "ls"}

::: result failed 6.4s
no
::: todo
- [x] one
- [~] two
- [ ] three
::: failed SERVER 503
Down.
`,
  )
  expect(template).toEqual({
    key: 'my-key',
    kind: 'fork',
    parent: 'other',
    title: 'One: two',
    titledBy: 'user',
    project: 'notes',
    ended: 90_000,
    model: 'deepseek-v4',
    after: { turn: 2, step: 1 },
    worktree: 'kept',
    blocks: [
      { kind: 'you', text: 'First line.\n\nSecond.', pause: 240_000 },
      { kind: 'thinks', text: 'Hm.' },
      { kind: 'call', tool: 'bash', arguments: { command: 'ls' } },
      { kind: 'result', text: 'no', failed: true, took: 6400 },
      {
        kind: 'todo',
        todos: [
          { content: 'one', status: 'completed' },
          { content: 'two', status: 'in_progress' },
          { content: 'three', status: 'pending' },
        ],
      },
      { kind: 'failed', message: 'Down.', code: 'SERVER', status: 503 },
    ],
  })
})

test('calls made at once share a step; words after a result begin the next', () => {
  const call = '::: call bash\n{}\n'
  const result = '::: result\nok\n'
  const { turns } = toTurns(
    parseTemplate(
      'a.md',
      `${HEAD}::: you\nGo\n::: says\nA\n${call}${call}${result}${result}${call}${result}::: says\nB\n::: you\nMore`,
    ).blocks,
  )
  expect(turns.map((turn) => turn.steps.map((step) => [step.text, step.calls.length]))).toEqual([
    [
      ['A', 2],
      [undefined, 1],
      ['B', 0],
    ],
    [],
  ])
})

test.each([
  ['no project', 'kind: main\nended: 3h\n', 'a.md: the field "project" is missing'],
  ['no such kind', 'kind: child\nproject: x\nended: 3h\n', '"child" is no kind'],
  ['no duration', 'kind: main\nproject: x\nended: soon\n', '"soon" is no duration'],
  ['no such block', `${HEAD}::: sings\nla`, 'a.md:4: there is no block "sings"'],
  ['no todo item', `${HEAD}::: todo\n* one`, '"* one" is no item'],
])('%s: the file and line are named', (_, text, message) => {
  expect(() => parseTemplate('a.md', text)).toThrow(message)
})

test('durations', () => {
  expect(['200ms', '1.4s', '4m', '3h', '2d'].map((each) => parseDuration('here', each))).toEqual([
    200, 1400, 240_000, 10_800_000, 172_800_000,
  ])
})
