import { expect, test } from 'vitest'
import { applySplice, emptyInbox, promptDraft, titleDraft } from './inbox.ts'

const message = (id: string) => ({ id, role: 'user', source: { kind: 'user' }, content: [] })
const queued = (...ids: string[]) => ({ target: 'next-turn', start: 0, inserted: ids.map(message) })
const ids = (inbox = emptyInbox()) => inbox.nextTurn.map((each) => each.id)

test('splices put in, take out, and keep the two queues apart', () => {
  let inbox = applySplice(emptyInbox(), queued('a', 'b'))
  inbox = applySplice(inbox, { target: 'next-turn', start: 2, inserted: [message('c')] })
  inbox = applySplice(inbox, { target: 'next-step', start: 0, inserted: [message('s')] })
  expect(ids(inbox)).toEqual(['a', 'b', 'c'])
  inbox = applySplice(inbox, { target: 'next-turn', start: 1, removedCount: 1, inserted: [message('d'), message('e')] })
  expect(ids(inbox)).toEqual(['a', 'd', 'e', 'c'])
  inbox = applySplice(inbox, { target: 'next-turn', start: 0, removedCount: 9, inserted: [] })
  expect(ids(inbox)).toEqual([])
  expect(inbox.nextStep.map((each) => each.id)).toEqual(['s'])
})

test.each([
  undefined,
  5,
  {},
  { target: 'later', start: 0 },
  { target: 'next-turn', start: -1 },
  { target: 'next-turn', start: '0' },
])('data of another shape changes nothing: %j', (data) => {
  const inbox = applySplice(emptyInbox(), queued('a'))
  expect(applySplice(inbox, data)).toEqual(inbox)
})

test('messages of another shape are not taken in', () => {
  expect(
    ids(applySplice(emptyInbox(), { target: 'next-turn', start: 0, inserted: [{ id: 1 }, null, message('a')] })),
  ).toEqual(['a'])
})

test('what is queued comes back as it was put', () => {
  const draft = promptDraft('Count.\nAll.', 0, 5)
  const inbox = applySplice(emptyInbox(), draft.data)
  expect(inbox.nextTurn).toMatchObject([
    { role: 'user', source: { kind: 'user' }, content: [{ type: 'text', text: 'Count.\nAll.' }] },
  ])
  expect(titleDraft('T', 5)).toEqual({
    type: 'session/title',
    time: 5,
    data: { title: 'T', messageSeqs: [], source: { kind: 'user' } },
  })
})
