import { describe, expect, test } from 'vitest'
import { buildHeader, headerLine, readHeader } from './header.ts'
import { childPlace, mainPlace } from './layout.ts'
import { newSession, sessionId } from './testing/tree-home.ts'

const MAIN = sessionId('session-0f010000-0000-4000-8000-000000000001')
const CHILD = sessionId('session-0f020000-0000-4000-8000-000000000002')
const main = mainPlace('/tree', MAIN)
const subagent = childPlace(main, 'subagent', CHILD)
const fork = childPlace(main, 'fork', CHILD)

const mainFields = {
  type: 'session',
  version: 0,
  id: MAIN,
  createdAt: 5,
  delegationDepth: 0,
  kind: 'main',
  root_session_id: MAIN,
}
const childFields = {
  ...mainFields,
  id: CHILD,
  kind: 'subagent',
  delegationDepth: 1,
  parentSession: MAIN,
  parent_session_id: MAIN,
}

const without = (fields: object, ...names: string[]) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))

describe('reading', () => {
  test('what is built comes back', () => {
    const worktree = { path: '/wt', branch: 'b', base: 'c', repository: '/r' }
    const session = newSession({ id: CHILD, agentPreset: 'dsh', worktree })
    for (const [place, seed] of [
      [subagent, undefined],
      [fork, { seedLength: 7, length: 1000 }],
    ] as const) {
      const header = buildHeader(session, place, 0, seed)
      expect(readHeader(headerLine(header), place)).toEqual({ header })
    }
  })

  test('kind alone decides: DSH’s own marks may say less, or something else', () => {
    expect(readHeader(JSON.stringify(without(childFields, 'origin')), subagent).problem).toBeUndefined()
    expect(
      readHeader(JSON.stringify({ ...childFields, origin: 'subagent', kind: 'fork' }), fork).problem,
    ).toBeUndefined()
    expect(readHeader(JSON.stringify({ ...childFields, seedLength: 6 }), subagent).problem).toBeUndefined()
  })

  test('unknown fields are no fault; a byte order mark and a carriage return are ignored', () => {
    expect(readHeader(`\uFEFF${JSON.stringify({ ...mainFields, future: { a: 1 } })}\r`, main)).toEqual({
      header: mainFields,
    })
  })

  test.each<[string, object, string]>([
    ['another id', { ...childFields, id: MAIN }, 'id'],
    ['another kind', { ...childFields, kind: 'fork' }, 'kind'],
    ['no kind', without(childFields, 'kind'), 'kind'],
    ['a kind that is none', { ...childFields, kind: 'helper' }, 'kind'],
    ['another root', { ...childFields, root_session_id: CHILD }, 'root_session_id'],
    ['no root', without(childFields, 'root_session_id'), 'root_session_id'],
    ['another parent', { ...childFields, parent_session_id: CHILD }, 'parent_session_id'],
    ['no parent', without(childFields, 'parent_session_id', 'parentSession'), 'parent_session_id'],
    ['another parent in DSH’s field', { ...childFields, parentSession: CHILD }, 'parentSession'],
    ['no parent in DSH’s field', without(childFields, 'parentSession'), 'parentSession'],
  ])('%s: both sides are named, and the session can be shown all the same', (_name, fields, field) => {
    const { header, problem } = readHeader(JSON.stringify(fields), subagent)
    expect(problem).toMatchObject({ code: 'layout_mismatch', field, path: subagent.logPath })
    expect(problem?.message).toContain(field)
    expect(header).toMatchObject({ createdAt: 5, delegationDepth: 1, root_session_id: expect.any(String) })
  })

  test('a main with a parent is a mismatch as well', () => {
    const { problem } = readHeader(
      JSON.stringify({ ...mainFields, parent_session_id: CHILD, parentSession: CHILD }),
      main,
    )
    expect(problem).toMatchObject({ code: 'layout_mismatch', field: 'parent_session_id' })
    expect(problem?.message).toContain('there is no parent_session_id for it')
  })

  test.each<[string, object, string]>([
    ['no creation time', without(mainFields, 'createdAt'), 'createdAt'],
    ['a negative one', { ...mainFields, createdAt: -1 }, 'createdAt'],
    ['no depth', without(mainFields, 'delegationDepth'), 'delegationDepth'],
    ['null for an optional field', { ...mainFields, cwd: null }, 'cwd'],
    ['an unknown origin', { ...mainFields, origin: 'web' }, 'origin'],
    ['a fractional seed', { ...mainFields, seedLength: 1.5 }, 'seedLength'],
    ['a worktree without a path', { ...mainFields, worktree: {} }, 'worktree'],
    ['a field DSH has retired', { ...mainFields, sandboxMode: 'x' }, 'sandboxMode'],
    ['another type', { ...mainFields, type: 'event' }, 'type'],
  ])('%s: refused as DSH refuses it', (_name, fields, field) => {
    const { header, problem } = readHeader(JSON.stringify(fields), main)
    expect(problem).toMatchObject({ code: 'log_damaged', field, path: main.logPath })
    expect(header).toBeUndefined()
  })

  test('an unknown version is named, before anything else is found wrong', () => {
    const { header, problem } = readHeader(JSON.stringify({ ...mainFields, version: 4 }), main)
    expect(problem).toMatchObject({ code: 'unsupported_version', field: 'version' })
    expect(problem?.message).toContain('v4')
    expect(header).toMatchObject({ version: 4, id: MAIN })
    expect(readHeader('{"type":"session","version":9}', main).problem?.code).toBe('unsupported_version')
  })

  test('a legacy record and a worktree of another shape are read as far as they go', () => {
    const { header } = readHeader(
      JSON.stringify({
        ...mainFields,
        legacy: { parentSession: 'x', reason: 'gone' },
        worktree: { path: '/wt', provider: 'p' },
      }),
      main,
    )
    expect(header?.legacy).toEqual({ parentSession: 'x', reason: 'gone' })
    expect(header?.worktree).toEqual({ path: '/wt', branch: '', base: '', repository: '' })
  })
})

describe('building', () => {
  test('has DSH’s fields in DSH’s order and the specification’s beside them', () => {
    const header = buildHeader(newSession({ id: CHILD, createdAt: 9 }), subagent, 1, undefined)
    expect(JSON.stringify(header)).toBe(
      `{"type":"session","version":0,"id":"${CHILD}","createdAt":9,"cwd":"/home/dev/orchard","parentSession":"${MAIN}",` +
        `"origin":"subagent","delegationDepth":2,"kind":"subagent","parent_session_id":"${MAIN}","root_session_id":"${MAIN}"}`,
    )
  })

  test.each([0, 1, 9, 80, 95, 99, 600, 690, 9_500, 999_600, 10_000_000])(
    'the seed of %i bytes ends where the header says',
    (length) => {
      const header = buildHeader(newSession({ id: CHILD }), fork, 0, { seedLength: 3, length })
      expect(header.seedBytes).toBe(headerLine(header).length + length)
      expect(header).toMatchObject({ seedLength: 3, delegationDepth: 0 })
    },
  )
})
