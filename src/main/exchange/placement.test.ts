import { expect, test } from 'vitest'
import { parseSessionId, type SessionId } from '../../shared/session-id.ts'
import { parentsFirst, placeSession, type Placeable, type Standing } from './placement.ts'
import { safeSessionId } from './safe-id.ts'
import type { ForeignSession } from './source.ts'

const MAIN = idOf('session-1')
const FORK = idOf('session-2')
const SUBAGENT = idOf('session-3')
const NESTED = idOf('session-4')
const GONE = 'session-404'

const TREE = new Map<SessionId, Standing>([
  [MAIN, { kind: 'main', root: MAIN, depth: 0 }],
  [FORK, { kind: 'fork', root: MAIN, depth: 0 }],
  [SUBAGENT, { kind: 'subagent', root: MAIN, depth: 1 }],
  [NESTED, { kind: 'subagent', root: MAIN, depth: 2 }],
])

function idOf(text: string): SessionId {
  const id = parseSessionId(text)
  if (!id.ok) throw new Error(id.error.message)
  return id.value
}

function place(session: Partial<Placeable>) {
  return placeSession({ id: 'session-9', createdAt: 7, relation: 'fork', ...session }, (id) => TREE.get(id))
}

test('no parent: a main', () => {
  expect(place({ cwd: '/w', agentPreset: 'standard' })).toEqual({
    id: 'session-9',
    header: {
      type: 'session',
      version: 0,
      id: 'session-9',
      createdAt: 7,
      cwd: '/w',
      delegationDepth: 0,
      agentPreset: 'standard',
      kind: 'main',
      root_session_id: 'session-9',
    },
    standing: { kind: 'main', root: 'session-9', depth: 0 },
  })
})

test('a fork of a main: depth 0, no origin, its seed kept, 0 where none was copied', () => {
  const fork = place({ parent: MAIN, seedLength: 45 })
  expect(fork).toMatchObject({ parent: MAIN, standing: { kind: 'fork', root: MAIN, depth: 0 } })
  expect(fork.header).toEqual({
    type: 'session',
    version: 0,
    id: 'session-9',
    createdAt: 7,
    parentSession: MAIN,
    seedLength: 45,
    delegationDepth: 0,
    kind: 'fork',
    parent_session_id: MAIN,
    root_session_id: MAIN,
  })
  expect(place({ parent: MAIN }).header.seedLength).toBe(0)
})

test.each([
  [MAIN, 1],
  [FORK, 1],
  [SUBAGENT, 2],
  [NESTED, 3],
] as const)('a subagent of %s: depth %i', (parent, depth) => {
  const { header } = place({ parent, relation: 'subagent' })
  expect(header).toMatchObject({
    kind: 'subagent',
    origin: 'subagent',
    delegationDepth: depth,
    parentSession: parent,
    parent_session_id: parent,
    root_session_id: MAIN,
  })
  expect(header.seedLength).toBeUndefined()
})

test('what the fork tool of DSH made is a subagent that keeps its seed', () => {
  expect(place({ parent: SUBAGENT, relation: 'subagent', seedLength: 9 }).header).toMatchObject({
    kind: 'subagent',
    seedLength: 9,
    delegationDepth: 2,
  })
})

test.each([
  ['a fork of a fork', { parent: FORK, seedLength: 9 }, 'fork of a fork'],
  ['a fork of a subagent', { parent: SUBAGENT, seedLength: 9 }, 'fork of a subagent'],
  ['a fork whose parent is not there', { parent: GONE, seedLength: 9 }, 'is not there'],
  ['a subagent whose parent is not there', { parent: GONE, relation: 'subagent' }, 'is not there'],
  ['its own parent', { parent: 'session-9' }, 'itself'],
] as const)('%s becomes a legacy root', (_, session, why) => {
  const { header, parent } = place(session)
  expect(parent).toBeUndefined()
  expect(header).toMatchObject({ kind: 'main', root_session_id: 'session-9', delegationDepth: 0 })
  expect(header.legacy).toEqual({ parentSession: session.parent, reason: expect.stringContaining(why) })
  for (const field of ['parentSession', 'parent_session_id', 'origin']) expect(header).not.toHaveProperty(field)
  expect(header.seedLength).toBe('seedLength' in session ? 9 : undefined)
})

test('an id that is no folder name is derived, and the original kept; so is a parent’s', () => {
  const { id, header } = place({ id: '../other' })
  expect(header).toMatchObject({ id, root_session_id: id, legacy: { id: '../other' } })
  expect(header.legacy).not.toHaveProperty('parentSession')

  const parent = safeSessionId('../other').id
  TREE.set(parent, { kind: 'main', root: parent, depth: 0 })
  const child = place({ parent: '../other', relation: 'subagent' })
  expect(child.header).toMatchObject({
    kind: 'subagent',
    parentSession: parent,
    parent_session_id: parent,
    legacy: { parentSession: '../other' },
  })
})

test('parents come before their children, whatever their times; rings are broken', () => {
  const order = parentsFirst([
    foreign('nested', 1, 'child'),
    foreign('late', 9),
    foreign('child', 5, 'main'),
    foreign('main', 8),
    foreign('ring-a', 2, 'ring-b'),
    foreign('ring-b', 3, 'ring-a'),
    foreign('orphan', 4, 'nowhere'),
  ]).map((each) => each.id)
  expect(order).toHaveLength(7)
  expect(order.indexOf('main')).toBeLessThan(order.indexOf('child'))
  expect(order.indexOf('child')).toBeLessThan(order.indexOf('nested'))
  expect(order.indexOf('orphan')).toBeLessThan(order.indexOf('late'))
})

function foreign(id: string, createdAt: number, parent?: string): ForeignSession {
  return {
    id,
    createdAt,
    path: id,
    relation: 'fork',
    ...(parent === undefined ? {} : { parent }),
    events: async function* () {},
  }
}
