import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SessionId } from '../../shared/session-id.ts'
import type { SessionTreeView } from '../../shared/tools.ts'
import type { Caller } from './caller.ts'
import { listSessions } from './session-list.ts'
import {
  HOST,
  idOf,
  makeChild,
  makeMain,
  makeTestHome,
  session,
  snapshotOf,
  valueOf,
  type TestHome,
} from './testing/test-home.ts'

let home: TestHome
let main: SessionId
let fork: SessionId
let ofFork: SessionId
let subagent: SessionId
let nested: SessionId
let sibling: SessionId
let stranger: SessionId

beforeEach(async () => {
  home = await makeTestHome()
  main = await makeMain(home)
  fork = idOf((await makeChild(home, main, { fork: true, title: 'Sieve' })).session_id)
  ofFork = idOf((await makeChild(home, fork)).session_id)
  subagent = idOf((await makeChild(home, main)).session_id)
  nested = idOf((await makeChild(home, subagent)).session_id)
  sibling = idOf((await makeChild(home, main)).session_id)
  stranger = await makeMain(home, 'Elsewhere')
})
afterEach(() => home.remove())

const status = (request: unknown, caller: Caller) => home.tools.session_status(request, caller)

async function treeOf(request: unknown, caller: Caller): Promise<SessionTreeView> {
  return valueOf(await status(request, caller)).tree
}

describe('what is seen', () => {
  it('is one nested tree that mirrors the folders, and nothing else', async () => {
    const tree = await treeOf({}, session(main))
    const paths = {
      main: join(home.paths.tree, main),
      fork: join(home.paths.tree, main, 'forks', fork),
      subagent: join(home.paths.tree, main, 'subagents', subagent),
    }
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const common = { root_session_id: main, status: 'cold', created_at: time, updated_at: time, cwd: home.cwd }
    const leaf = { forks: [], subagents: [] }
    expect(tree).toEqual({
      ...common,
      session_id: main,
      kind: 'main',
      session_path: join(paths.main, 'session.jsonl'),
      forks: [
        {
          ...common,
          session_id: fork,
          parent_session_id: main,
          kind: 'fork',
          title: 'Sieve',
          session_path: join(paths.fork, 'session.jsonl'),
          forks: [],
          subagents: [
            {
              ...common,
              ...leaf,
              session_id: ofFork,
              parent_session_id: fork,
              kind: 'subagent',
              session_path: join(paths.fork, 'subagents', ofFork, 'session.jsonl'),
            },
          ],
        },
      ],
      subagents: [
        {
          ...common,
          session_id: subagent,
          parent_session_id: main,
          kind: 'subagent',
          session_path: join(paths.subagent, 'session.jsonl'),
          forks: [],
          subagents: [
            {
              ...common,
              ...leaf,
              session_id: nested,
              parent_session_id: subagent,
              kind: 'subagent',
              session_path: join(paths.subagent, 'subagents', nested, 'session.jsonl'),
            },
          ],
        },
        {
          ...common,
          ...leaf,
          session_id: sibling,
          parent_session_id: main,
          kind: 'subagent',
          session_path: join(paths.main, 'subagents', sibling, 'session.jsonl'),
        },
      ],
    })
  })

  it('is the whole tree of its main for every caller that names no session', async () => {
    const whole = await treeOf({}, session(main))
    for (const id of [fork, ofFork, subagent, nested, sibling]) {
      expect(await treeOf({}, session(id))).toEqual(whole)
      expect(await treeOf({}, { kind: 'host', as: id })).toEqual(whole)
    }
    expect((await treeOf({}, session(stranger))).session_id).toBe(stranger)
  })

  it('is oneself or what is below, where a session is named', async () => {
    expect(
      (await treeOf({ session_id: subagent }, session(subagent))).subagents.map((each) => each.session_id),
    ).toEqual([nested])
    expect((await treeOf({ session_id: nested }, session(subagent))).session_id).toBe(nested)
    expect((await treeOf({ session_id: ofFork }, session(main))).parent_session_id).toBe(fork)
  })

  it('is everything for the host', async () => {
    for (const id of [main, fork, ofFork, subagent, nested, sibling, stranger]) {
      expect((await treeOf({ session_id: id }, HOST)).session_id).toBe(id)
    }
    const sessions = await listSessions(home.tree)
    expect(sessions.map(({ session_id }) => session_id).toSorted()).toEqual([main, stranger].toSorted())
    expect(sessions.find(({ session_id }) => session_id === main)).toEqual(await treeOf({}, session(main)))
  })
})

describe('what is not seen', () => {
  it.each<[string, () => [SessionId, SessionId]]>([
    ['the main', () => [subagent, main]],
    ['an ancestor', () => [nested, subagent]],
    ['a sibling', () => [subagent, sibling]],
    ['a fork beside', () => [subagent, fork]],
    ['another tree', () => [main, stranger]],
  ])('%s', async (_name, pick) => {
    const [viewer, target] = pick()
    const error = { code: 'outside_tree', field: 'session_id' }
    expect(await status({ session_id: target }, session(viewer))).toMatchObject({ ok: false, error })
    expect(await status({ session_id: target }, { kind: 'host', as: viewer })).toMatchObject({ ok: false, error })
  })

  it('an id that is nowhere, asked for or asking', async () => {
    const unknown = idOf('session-404')
    expect(await status({ session_id: unknown }, session(main))).toMatchObject({ error: { code: 'unknown_session' } })
    expect(await status({ session_id: unknown }, HOST)).toMatchObject({ error: { code: 'unknown_session' } })
    expect(await status({}, session(unknown))).toMatchObject({ error: { code: 'unknown_session' } })
  })

  it('anything at all for a host that names nobody, who is told where to look', async () => {
    expect(await status({}, HOST)).toMatchObject({
      ok: false,
      error: { code: 'session_required', message: expect.stringContaining('session list') },
    })
  })

  it('anything by a field that is none', async () => {
    const error = { code: 'invalid_request', field: 'depth' }
    expect(await status({ depth: 1 }, session(main))).toMatchObject({ ok: false, error })
  })
})

describe('a tree that is not in order', () => {
  it('shows a session without its log as missing, with what is below it', async () => {
    await rm(join(home.paths.tree, main, 'subagents', subagent, 'session.jsonl'))
    const tree = await treeOf({}, session(main))
    const gone = tree.subagents.find(({ session_id }) => session_id === subagent)
    expect(gone).toMatchObject({ kind: 'subagent', status: 'missing', parent_session_id: main })
    expect(gone?.subagents.map(({ session_id }) => session_id)).toEqual([nested])
    expect(tree.subagents).toHaveLength(2)
  })

  it('shows an odd session as failed, by its folder, with what is below it', async () => {
    const path = join(home.paths.tree, main, 'subagents', subagent, 'session.jsonl')
    await writeFile(path, (await readFile(path, 'utf8')).replace('"kind":"subagent"', '"kind":"main"'))
    const odd = (await treeOf({}, session(main))).subagents.find(({ session_id }) => session_id === subagent)
    expect(odd).toMatchObject({ kind: 'subagent', status: 'failed', session_id: subagent })
    expect(odd?.subagents.map(({ session_id }) => session_id)).toEqual([nested])
  })

  const f22 = join(import.meta.dirname, '../../../../shared/fixtures/faults/f22-tree')
  it.runIf(existsSync(f22))('holds every sound helper of F22 and names the odd one', async () => {
    await mkdir(home.paths.tree, { recursive: true })
    await cp(f22, home.paths.tree, { recursive: true })
    const tree = await treeOf({}, session('session-0f220000-0000-4000-8000-000000000022'))
    expect(tree.forks.map(({ session_id, status: state }) => [session_id.slice(-2), state])).toEqual([['64', 'cold']])
    expect(tree.forks[0]?.subagents.map(({ session_id }) => session_id.slice(-2))).toEqual(['65'])
    const helpers = tree.subagents.map(({ session_id, status: state }) => `${session_id.slice(-2)} ${state}`)
    expect(new Set(helpers)).toEqual(new Set(['61 cold', '62 cold', '63 failed', '66 cold']))
    expect(helpers).toHaveLength(4)
  })
})

it('looking writes nothing, not even a time', async () => {
  await rm(join(home.paths.tree, main, 'subagents', sibling, 'session.jsonl'))
  const path = join(home.paths.tree, main, 'subagents', subagent, 'session.jsonl')
  await writeFile(path, '{"type":"turn/st', { flag: 'a' })
  const before = await snapshotOf(home.paths.home)
  expect(Object.keys(before).length).toBeGreaterThan(10)
  for (const caller of [HOST, session(main), session(nested), { kind: 'host', as: fork } as const]) {
    for (const request of [{}, { session_id: main }, { session_id: nested }, { session_id: 'session-404' }, 7]) {
      await status(request, caller)
    }
  }
  await listSessions(home.tree)
  expect(await snapshotOf(home.paths.home)).toEqual(before)
})
