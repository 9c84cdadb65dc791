import { describe, expect, it } from 'vitest'
import type { SessionSummary } from '../../shared/navigator-view.ts'
import { buildRows, orderTree, type SessionRow } from './rows.ts'

const orchard = { key: '/src/orchard', kind: 'repository', name: 'orchard' } as const
const notes = { key: '/notes', kind: 'folder', name: 'notes' } as const

function summary(id: string, more: Partial<SessionSummary> = {}): SessionSummary {
  return {
    session_id: id,
    kind: 'main',
    root_session_id: id,
    status: 'cold',
    group: orchard,
    subagents: { count: 0 },
    waiting: false,
    ...more,
  }
}

function fork(id: string, of: string, more: Partial<SessionSummary> = {}): SessionSummary {
  return summary(id, { kind: 'fork', parent_session_id: of, root_session_id: of, ...more })
}

function build(
  sessions: SessionSummary[],
  times: Record<string, number>,
  { collapsed = [], query = '' }: { collapsed?: string[]; query?: string } = {},
) {
  const tree = orderTree(
    new Map(sessions.map((session) => [session.session_id, session])),
    new Map(Object.entries(times)),
  )
  return buildRows(tree, new Set(collapsed), query)
}

const keys = (result: ReturnType<typeof buildRows>): string[] => result.rows.map((row) => row.key)

describe('buildRows', () => {
  it('groups mains, nests forks under a label, last activity first', () => {
    const result = build([summary('m1'), summary('m2', { group: notes }), fork('f1', 'm1'), fork('f2', 'm1')], {
      m1: 10,
      m2: 20,
      f1: 1,
      f2: 2,
    })
    expect(keys(result)).toEqual(['group:/notes', 'm2', 'group:/src/orchard', 'm1', 'forks:m1', 'f2', 'f1'])
    expect(result.rows[2]).toMatchObject({ type: 'group', count: 3 })
    expect(result.rows[3]).toMatchObject({
      level: 1,
      position: 2,
      size: 2,
      expandable: true,
      expanded: true,
      forks: ['f2', 'f1'],
    })
    expect(result.rows[6]).toMatchObject({ level: 2, position: 2, size: 2, expandable: false })
  })

  it('keeps ten sessions of one millisecond in one order, whatever order they came in', () => {
    const ids = Array.from({ length: 10 }, (_, index) => `m${index}`)
    const times = Object.fromEntries(ids.map((id) => [id, 5]))
    const forwards = build(
      ids.map((id) => summary(id)),
      times,
    )
    const backwards = build(
      ids.toReversed().map((id) => summary(id)),
      times,
    )
    expect(keys(forwards)).toEqual(keys(backwards))
  })

  it('hides the forks of a closed main but counts them', () => {
    const result = build([summary('m1'), fork('f1', 'm1')], {}, { collapsed: ['m1'] })
    expect(keys(result)).toEqual(['group:/src/orchard', 'm1'])
    expect(result.rows[1]).toMatchObject({ expandable: true, expanded: false, forks: ['f1'] })
  })

  it('never loses a fork whose main is not there, nor an odd session', () => {
    const odd = summary('s1', { kind: 'subagent', parent_session_id: 'gone' })
    const result = build([fork('f1', 'gone'), odd], {})
    expect(result.rows.filter((row): row is SessionRow => row.type === 'session').map((row) => row.level)).toEqual([
      1, 1,
    ])
  })

  it('searches titles and first prompts, folding case and accents', () => {
    const sessions = [
      summary('m1', { title: 'Café rush' }),
      summary('m2', { title: 'Other', prompt: 'find the zebra-lantern' }),
      summary('m3', { title: '秃发 notes' }),
    ]
    expect(keys(build(sessions, {}, { query: 'CAFE' }))).toEqual(['group:/src/orchard', 'm1'])
    expect(keys(build(sessions, {}, { query: 'lantern find' }))).toEqual(['group:/src/orchard', 'm2'])
    expect(keys(build(sessions, {}, { query: '秃发' }))).toEqual(['group:/src/orchard', 'm3'])
    expect(build(sessions, {}, { query: 'nowhere' })).toEqual({ rows: [], shown: 0, total: 3 })
  })

  it('shows the main of a fork that matches, open', () => {
    const sessions = [summary('m1', { title: 'Main' }), fork('f1', 'm1', { title: 'needle' }), fork('f2', 'm1')]
    const result = build(sessions, {}, { query: 'needle', collapsed: ['m1'] })
    expect(keys(result)).toEqual(['group:/src/orchard', 'm1', 'forks:m1', 'f1'])
    expect(result.shown).toBe(2)
    expect(result.total).toBe(3)
  })

  it('keeps all forks of a main that matches', () => {
    const sessions = [summary('m1', { title: 'needle' }), fork('f1', 'm1', { title: 'x' })]
    expect(keys(build(sessions, {}, { query: 'needle' }))).toEqual(['group:/src/orchard', 'm1', 'forks:m1', 'f1'])
  })
})
