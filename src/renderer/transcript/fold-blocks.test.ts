import { describe, expect, it } from 'vitest'
import type { TranscriptLine } from '../../shared/navigator-view.ts'
import type { Block } from './blocks.ts'
import { foldBlocks, type FoldInput } from './fold-blocks.ts'
import { shownBlocks } from './shown-blocks.ts'

const user = (id: string, words: string) => ({
  id,
  role: 'user',
  source: { kind: 'user' },
  content: [{ type: 'text', text: words }],
})

/** Builds lines of a hundred bytes; `seq` counts on. */
function log(...events: readonly (readonly [type: string, data: unknown, surfaceOp?: unknown, time?: number])[]) {
  return events.map(([type, data, surfaceOp, time], index): TranscriptLine => ({
    kind: 'event',
    offset: 100 + index * 100,
    bytes: 100,
    event: { type, seq: index, time: time ?? 1000 + index, data, ...(surfaceOp !== undefined && { surfaceOp }) },
  }))
}

function fold(lines: readonly TranscriptLine[], more: Partial<FoldInput> = {}) {
  return foldBlocks({ lines, atStart: false, atEnd: true, isFork: false, running: false, ...more })
}

const types = (blocks: readonly Block[]): string[] => blocks.map((block) => block.type)

const chunk = (step: number, words: string) =>
  ['assistant/chunk', { turn: 1, step, chunk: { type: 'text-delta', index: 0, text: words } }] as const
const answer = (step: number, ...content: unknown[]) =>
  ['assistant/message', { turn: 1, step, message: { role: 'assistant', content } }, 'append'] as const

const end = (reason: unknown) => fold(log(['turn/end', { turn: 1, reason }])).own[0]
const queue = (start: number, removedCount: number, ...inserted: unknown[]) =>
  ['agent/inbox/spliced', { target: 'next-turn', start, removedCount, inserted }] as const
const limit = (reason: string, outcome: string) => ['session-tree/end', { reason, outcome, time: 1 }] as const
const title = (words: string) => ['session/title', { title: words, source: { kind: 'user' } }] as const
const decided = (id: string, outcome: string) => ['approval/decided', { id, outcome }] as const
const damage = (offset: number): TranscriptLine => ({ kind: 'bad', offset, bytes: 50, reason: 'Cut.', text: '' })

describe('foldBlocks', () => {
  it('says which limit ended a session in the place of the turn’s end, which does not know, and alone where no turn ended', () => {
    const hook = ['turn/end', { turn: 1, reason: { kind: 'aborted', reason: { kind: 'hook' } } }] as const
    const { own } = fold(log(['turn/start', { turn: 1 }], hook, limit('budget', 'the budget was used up')))
    expect(own).toMatchObject([{ type: 'note', tone: 'quiet', text: 'Stopped: the budget was used up.' }])
    // Drawn before the second line came, it is drawn again.
    expect(own[0]?.revision).not.toBe(fold(log(['turn/start', { turn: 1 }], hook)).own[0]?.revision)
    expect(fold(log(limit('timeout', 'the time limit was reached'))).own).toMatchObject([
      { text: 'Stopped: the time limit was reached.' },
    ])
    expect(fold(log(hook, limit('error', 'the log could not be written'))).own).toMatchObject([
      { text: 'A hook stopped this turn.' },
    ])
  })

  it('says in one place what was asked and how it was answered', () => {
    const asked = ['approval/asked', { id: 'p1', toolName: 'rm', reason: 'rm -r build' }] as const
    const told = (...outcome: (readonly [string, string])[]) =>
      fold(log(asked, ...outcome.map(([id, word]) => decided(id, word)))).own
    expect(told()).toMatchObject([{ text: 'Asked for approval of “rm”.', detail: 'rm -r build' }])
    expect(told(['p1', 'approved'])).toMatchObject([
      { text: 'Asked for approval of “rm”: allowed.', detail: 'rm -r build' },
    ])
    expect(told(['p1', 'denied'])).toMatchObject([{ text: 'Asked for approval of “rm”: refused.' }])
    expect(told(['p1', 'something'])).toMatchObject([{ text: 'Asked for approval of “rm”: answered.' }])
    expect(told(['p2', 'denied'])).toMatchObject([{ text: 'Asked for approval of “rm”.' }])
    expect(told(['p1', 'denied'])[0]?.revision).not.toBe(told()[0]?.revision)
  })

  it('tells of a rename, and not of the title that a session was made with', () => {
    const done = ['turn/end', { turn: 1, reason: { kind: 'completed' } }] as const
    const lines = log(title('At first'), ['turn/start', { turn: 1 }], done, title('Later'))
    const renames = (more: Partial<FoldInput>) =>
      fold(lines, more).own.flatMap((block) => (block.type === 'note' ? [block.text] : []))
    expect(renames({ atStart: true })).toEqual(['Renamed to “Later”'])
    // Where the beginning is not loaded, nobody knows what came before.
    expect(renames({ atStart: false })).toHaveLength(2)
  })

  it('shows a turn: prompt, context folded, reasoning, answer, one block for a call and its result', () => {
    const lines = log(
      ['turn/start', { turn: 1 }],
      ['user/message', user('u1', 'Do it.\nBoth lines.'), 'append'],
      ['user/message', { ...user('u2', 'snapshot'), source: { kind: 'plugin', form: 'snapshot' } }, 'append'],
      chunk(1, 'Look'),
      answer(
        1,
        { type: 'reasoning', text: 'Hm.' },
        { type: 'text', text: 'Looking.' },
        {
          type: 'tool-call',
          id: 'c1',
          name: 'bash',
          arguments: '{"command":"ls /src/app/lib"}',
        },
      ),
      ['tool/call', { callId: 'c1', name: 'bash', arguments: '{"command":"ls /src/app/lib"}' }, undefined, 2000],
      [
        'tool/result',
        {
          message: { content: [{ type: 'tool-result', toolCallId: 'c1', content: [{ type: 'text', text: 'a\nb' }] }] },
        },
        'append',
        2200,
      ],
      ['turn/end', { turn: 1, reason: { kind: 'completed' } }],
    )
    const { own } = fold(lines, { cwd: '/src/app' })
    expect(types(own)).toEqual(['prompt', 'context', 'reasoning', 'answer', 'tool'])
    expect(own[0]).toMatchObject({ text: 'Do it.\nBoth lines.' })
    expect(own[4]).toMatchObject({ name: 'bash', state: 'done', duration: '0.2 s', result: 'a\nb' })
  })

  it('shows streamed pieces only where no message followed, and in their place', () => {
    const lines = log(
      chunk(1, 'Half an '),
      chunk(1, 'answer'),
      answer(1, { type: 'text', text: 'Half an answer.' }),
      ['user/message', user('u', 'Next'), 'append'],
      chunk(2, 'Cut '),
      chunk(2, 'off'),
      ['turn/end', { reason: { kind: 'interrupted' } }],
    )
    const { own } = fold(lines)
    expect(types(own)).toEqual(['answer', 'prompt', 'answer', 'note'])
    expect(own[2]).toMatchObject({ text: 'Cut off', partial: true, key: 'partial:500' })
  })

  it('says of a call without a result whether it may still come', () => {
    const lines = log(['turn/start', { turn: 1 }], ['tool/call', { callId: 'c', name: 'bash', arguments: '{' }])
    expect(fold(lines, { running: true }).own).toMatchObject([{ type: 'tool', state: 'running' }])
    expect(fold(lines).own).toMatchObject([
      { type: 'tool', state: 'unanswered' },
      { type: 'note', key: 'open-turn' },
    ])
  })

  it('keeps what a call had printed when a crash cut it off, and not the advice to the model that closes it', () => {
    const closer = {
      message: {
        source: { kind: 'tool', callId: 'c' },
        content: [
          {
            type: 'tool-result',
            toolCallId: 'c',
            isError: true,
            content: [{ type: 'text', text: 'Do not retry blindly.' }],
          },
        ],
      },
      error: { name: 'ToolOutcomeUnknownError', code: 'TOOL_OUTCOME_UNKNOWN' },
    }
    const lines = log(
      ['turn/start', { turn: 1 }],
      ['tool/call', { callId: 'c', name: 'bash', arguments: '{}' }],
      ['session-tree/output', { callId: 'c', stream: 'stdout', text: 'begun\n' }],
      ['tool/result', closer, 'append'],
    )
    expect(fold(lines, { running: true }).own).toMatchObject([{ type: 'tool', state: 'unanswered', result: 'begun\n' }])
    expect(fold(lines, { running: true }).own[0]?.revision).toBe('400')
  })

  it('goes on with what is streamed while it runs, and says of an answer that it was cut off only once it was', () => {
    const streamed = log(['turn/start', { turn: 1 }], chunk(1, 'Half'))
    expect(fold(streamed, { running: true }).own).toMatchObject([{ type: 'answer', partial: false }])
    const ended = log(['turn/start', { turn: 1 }], chunk(1, 'Half'), ['turn/end', { reason: { kind: 'interrupted' } }])
    expect(fold(ended, { running: true }).own[0]).toMatchObject({ type: 'answer', partial: true })
    expect(fold(streamed, { running: true }).own[0]?.revision).not.toBe(fold(streamed).own[0]?.revision)
  })

  it('shows what a running command prints, and its result in its place', () => {
    const call = { type: 'tool-call', id: 'c', name: 'bash', arguments: '{"command":"make"}' }
    const message = { role: 'assistant', source: { kind: 'model', model: 'shell' }, content: [call] }
    const lines = log(
      ['assistant/message', { turn: 1, step: 1, message }, 'append'],
      ['tool/call', { callId: 'c', name: 'bash', arguments: '{"command":"make"}' }],
      ['session-tree/output', { callId: 'c', stream: 'stdout', text: 'one\n' }],
      ['session-tree/output', { callId: 'c', stream: 'stderr', text: 'two\n' }],
      [
        'tool/result',
        { message: { content: [{ toolCallId: 'c', content: [{ type: 'text', text: 'all' }] }] } },
        'append',
      ],
    )
    expect(fold(lines.slice(0, 4), { running: true }).own).toMatchObject([
      { type: 'tool', state: 'running', result: 'one\ntwo\n', isAnswer: true },
    ])
    expect(fold(lines).own).toMatchObject([{ type: 'tool', state: 'done', result: 'all' }])
  })

  it('offers to send the prompt of an interrupted turn again, until another turn begins', () => {
    const cut = log(
      ['turn/start', { turn: 1 }],
      ['user/message', user('u1', 'Do it'), 'append'],
      ['turn/end', { turn: 1, reason: { kind: 'interrupted' } }],
      ['turn/start', { turn: 2 }],
    )
    const before = fold(cut.slice(0, 3)).own[1]
    const after = fold(cut, { running: true }).own[1]
    expect(before).toMatchObject({ type: 'note', again: 'Do it' })
    expect(after).not.toHaveProperty('again')
    expect(after?.revision).not.toBe(before?.revision)
    expect(fold(cut.slice(1, 3), { isFork: true, seedBytes: 10_000 }).inherited[1]).not.toHaveProperty('again')
  })

  it('gives a result whose call is not loaded a block of its own, and a failed one its state', () => {
    const lines = log([
      'tool/result',
      { message: { content: [{ type: 'tool-result', toolCallId: 'x', isError: true, content: [] }] } },
      'append',
    ])
    expect(fold(lines).own).toMatchObject([{ type: 'tool', state: 'failed' }])
  })

  it('tells in words how a turn ended', () => {
    expect(end({ kind: 'error', error: { message: 'refused', code: 'X', status: 400 } })).toMatchObject({
      tone: 'failed',
      detail: 'refused, HTTP 400',
    })
    expect(end({ kind: 'aborted', reason: { kind: 'user' } })).toMatchObject({ text: 'You stopped this turn.' })
    expect(end({ kind: 'something-new' })).toMatchObject({ text: 'This turn ended: something-new.' })
    expect(end({ kind: 'completed' })).toBeUndefined()
  })

  it('leaves out what replaced earlier messages, and keeps those', () => {
    const lines = log(
      ['user/message', user('u1', 'First'), 'append'],
      ['user/message', { ...user('u2', 'summary'), source: { kind: 'plugin' } }, { op: 'replace', start: 0, end: 0 }],
    )
    expect(fold(lines).own).toMatchObject([{ type: 'prompt', text: 'First' }])
  })

  it('shows what waits in the inbox at the end, and not what was taken or withdrawn', () => {
    const lines = log(
      queue(0, 0, user('a', 'taken')),
      queue(0, 1),
      ['user/message', user('a', 'taken'), 'append'],
      queue(0, 0, user('b', 'waits')),
      queue(1, 0, user('c', 'withdrawn')),
      queue(1, 1),
    )
    expect(fold(lines).own).toMatchObject([{ type: 'prompt' }, { type: 'waiting', text: 'waits' }])
    expect(types(fold(lines, { atEnd: false }).own)).toEqual(['prompt'])
  })

  it('shows an unknown event by its type and JSON, and is silent about known ones', () => {
    const lines = log(['team/new-thing', { a: 1 }], ['sandbox/mode', { mode: 'x' }])
    const { own } = fold(lines)
    expect(own).toMatchObject([{ type: 'event', name: 'team/new-thing' }])
    expect(own[0]).toHaveProperty('json', expect.stringContaining('"a": 1'))
  })

  it('shows damage where it stands, with the line number, and goes on', () => {
    const [first, second] = log(
      ['user/message', user('a', 'before'), 'append'],
      ['user/message', user('b', 'after'), 'append'],
    )
    if (!first || !second) throw new Error('two lines were built')
    const bad: TranscriptLine = { kind: 'bad', offset: 200, bytes: 50, reason: 'Two records on one line.', text: '{"a' }
    const later = { ...second, offset: 250 }
    const unfinished: TranscriptLine = { kind: 'unfinished', offset: 350, bytes: 9 }
    const { own } = fold([first, bad, later, unfinished], { atStart: true })
    expect(types(own)).toEqual(['begin', 'prompt', 'bad', 'prompt', 'unfinished'])
    expect(own[2]).toMatchObject({ where: 'Line 3, byte 200', reason: 'Two records on one line.' })
  })

  it('says that a number behind damage is only about right', () => {
    const [first] = log(['user/message', user('a', 'before'), 'append'])
    if (!first) throw new Error('a line was built')
    expect(fold([first, damage(200), damage(250)]).own).toMatchObject([
      { type: 'prompt' },
      { where: 'Line 3, byte 200' },
      { where: 'About line 4, byte 250' },
    ])
    expect(fold([damage(500)]).own).toMatchObject([{ where: 'Byte 500' }])
  })

  it('keeps a block and its revision where only something behind it changed', () => {
    const lines = log(['user/message', user('a', 'one'), 'append'], answer(1, { type: 'text', text: 'two' }))
    const before = fold(lines.slice(0, 1)).own[0]
    const after = fold(lines).own[0]
    expect({ key: after?.key, revision: after?.revision }).toEqual({ key: before?.key, revision: before?.revision })
  })
})

describe('a fork', () => {
  const lines = log(
    ['turn/start', { turn: 1 }],
    ['user/message', user('a', 'inherited'), 'append'],
    ['agent/inbox/spliced', { target: 'next-turn', start: 0, inserted: [user('p', 'of the parent')] }],
    ['turn/end', { turn: 1, reason: { kind: 'interrupted' } }],
    ['session/end-seed', {}],
    ['agent/inbox/spliced', { target: 'next-turn', start: 0, inserted: [user('q', 'own prompt')] }],
  )

  it('folds away what it inherited, its closers and its parent’s inbox', () => {
    const folded = fold(lines, { isFork: true, seedBytes: 400, atStart: true })
    expect(types(folded.inherited)).toEqual(['prompt'])
    expect(folded.own).toMatchObject([{ type: 'waiting', text: 'own prompt' }])
    expect(types(shownBlocks(folded, true, false))).toEqual(['fork-mark', 'waiting'])
    expect(types(shownBlocks(folded, true, true))).toEqual(['prompt', 'fork-mark', 'waiting'])
  })

  it('tells its part by events where the header does not say the bytes', () => {
    const folded = fold(lines, { isFork: true, seedLength: 3 })
    expect(types(folded.inherited)).toEqual(['prompt'])
    expect(types(folded.own)).toEqual(['waiting'])
  })

  it('has no mark before its place is loaded', () => {
    const folded = fold(lines.slice(4), { isFork: true, seedBytes: 400 })
    expect(folded.hasMark).toBe(false)
    expect(types(shownBlocks(folded, true, false))).toEqual(['waiting'])
  })
})
