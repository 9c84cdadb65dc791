import { describe, expect, it } from 'vitest'
import type { SessionKind } from '../../shared/tools.ts'
import { actingFor, hostCaller, mayCreate, maySee, maySend } from './caller.ts'
import { idOf } from './testing/test-home.ts'

const id = (number: number) => idOf(`session-${number}`)
const session = (number: number, kind: SessionKind, ...ancestors: number[]) => ({
  id: id(number),
  kind,
  ancestors: ancestors.map(id),
})

const main = session(1, 'main')
const fork = session(2, 'fork', 1)
const subagent = session(3, 'subagent', 1)
const nested = session(4, 'subagent', 1, 3)
const deepest = session(5, 'subagent', 1, 3, 4)
const ofFork = session(6, 'subagent', 1, 2)
const stranger = session(7, 'main')
const ofStranger = session(8, 'subagent', 7)
const all = { main, fork, subagent, nested, deepest, ofFork, stranger, ofStranger }
const names = ['main', 'fork', 'subagent', 'nested', 'deepest', 'ofFork', 'stranger', 'ofStranger'] as const
type Name = (typeof names)[number]

const codeOf = (result: ReturnType<typeof mayCreate> | ReturnType<typeof maySee>) =>
  result.ok ? (result.value ?? 'yes') : result.error.code

describe('who may create what', () => {
  const nobody = undefined
  it.each([
    // The table of spec §3.1.
    ['main', main, false, false, 'subagent'],
    ['main', main, true, false, 'fork'],
    ['main', main, true, true, 'fork'],
    ['fork', fork, false, false, 'subagent'],
    ['subagent', subagent, false, false, 'subagent'],
    ['nested subagent', nested, false, false, 'subagent'],
    // Its list of what is invalid.
    ['main', main, false, true, 'worktree_needs_fork'],
    ['fork', fork, false, true, 'worktree_needs_fork'],
    ['subagent', subagent, false, true, 'worktree_needs_fork'],
    ['fork', fork, true, false, 'fork_needs_main'],
    ['subagent', subagent, true, false, 'fork_needs_main'],
    ['fork', fork, true, true, 'fork_needs_main'],
    ['subagent', subagent, true, true, 'fork_needs_main'],
    // Nobody in particular.
    ['nobody', nobody, false, false, 'main'],
    ['nobody', nobody, true, false, 'fork_needs_main'],
    ['nobody', nobody, true, true, 'fork_needs_main'],
    ['nobody', nobody, false, true, 'worktree_needs_fork'],
  ])('%s (fork and worktree: row %#)', (_name, creator, wantsFork, wantsWorktree, expected) => {
    expect(codeOf(mayCreate(creator, { fork: wantsFork, worktree: wantsWorktree }, true))).toBe(expected)
  })

  it('lets nobody in particular make a main only where the host permits it', () => {
    expect(codeOf(mayCreate(undefined, { fork: false, worktree: false }, false))).toBe('root_creation_not_permitted')
    expect(codeOf(mayCreate(main, { fork: false, worktree: false }, false))).toBe('subagent')
  })

  it('names the main that can be forked instead', () => {
    const refused = mayCreate(nested, { fork: true, worktree: false }, true)
    expect(refused).toMatchObject({ ok: false, error: { field: 'fork', message: expect.stringContaining(main.id) } })
  })
})

describe('who may see whom', () => {
  it.each<[Name, Name[]]>([
    ['main', ['main', 'fork', 'subagent', 'nested', 'deepest', 'ofFork']],
    ['fork', ['fork', 'ofFork']],
    ['subagent', ['subagent', 'nested', 'deepest']],
    ['nested', ['nested', 'deepest']],
    ['deepest', ['deepest']],
    ['stranger', ['stranger', 'ofStranger']],
  ])('%s sees %j and nobody else', (viewer, seen) => {
    for (const name of names) {
      const expected = seen.includes(name) ? 'yes' : 'outside_tree'
      expect([name, codeOf(maySee(all[viewer], all[name]))]).toEqual([name, expected])
    }
  })

  it('nobody in particular sees everything', () => {
    for (const target of Object.values(all)) expect(codeOf(maySee(undefined, target))).toBe('yes')
  })
})

describe('who may send to whom', () => {
  it.each<[Name, Name[], Name[]]>([
    ['main', ['fork', 'subagent'], ['stranger', 'ofStranger']],
    ['fork', ['ofFork'], ['stranger', 'ofStranger']],
    ['subagent', ['nested'], ['stranger', 'ofStranger']],
    ['nested', ['deepest'], ['stranger', 'ofStranger']],
    ['deepest', [], ['stranger', 'ofStranger']],
    ['stranger', ['ofStranger'], ['main', 'fork', 'subagent', 'nested', 'deepest', 'ofFork']],
    ['ofStranger', [], ['main', 'fork', 'subagent', 'nested', 'deepest', 'ofFork']],
  ])('%s: to %j; %j are strangers, the rest no direct children', (sender, children, strangers) => {
    for (const name of names) {
      const otherwise = strangers.includes(name) ? 'outside_tree' : 'not_direct_child'
      const expected = children.includes(name) ? 'yes' : otherwise
      expect([name, codeOf(maySend(all[sender], all[name]))]).toEqual([name, expected])
    }
  })

  it('nobody in particular sends to mains only, and is told whose the others are', () => {
    expect(codeOf(maySend(undefined, main))).toBe('yes')
    expect(codeOf(maySend(undefined, stranger))).toBe('yes')
    for (const target of [fork, subagent, nested, ofFork]) {
      const refused = maySend(undefined, target)
      const message = expect.stringContaining(target.ancestors.at(-1) ?? '')
      expect(refused).toMatchObject({ ok: false, error: { code: 'not_direct_child', field: 'session_id', message } })
    }
  })

  it('names the child that can pass a message on', () => {
    const refused = maySend(main, deepest)
    expect(refused).toMatchObject({ ok: false, error: { message: expect.stringContaining(`Send to ${subagent.id}`) } })
  })
})

describe('who acts', () => {
  it('is the session a token stands for, or the one the host acts for', () => {
    expect(actingFor({ kind: 'session', id: id(1) })).toBe(id(1))
    expect(actingFor({ kind: 'host', as: id(2) })).toBe(id(2))
    expect(actingFor({ kind: 'host' })).toBeUndefined()
  })

  it.each([null, '', '../other', 7, {}, ['session-1']])('as %j is refused', (as) => {
    expect(hostCaller(as)).toMatchObject({ ok: false, error: { code: 'invalid_session_id', field: 'as' } })
  })
})
