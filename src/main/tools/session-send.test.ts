import { readFile, rm, writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SessionId } from '../../shared/session-id.ts'
import type { Caller } from './caller.ts'
import { renameSession } from './session-rename.ts'
import {
  HOST,
  idOf,
  linesOf,
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
  fork = idOf((await makeChild(home, main, { fork: true })).session_id)
  ofFork = idOf((await makeChild(home, fork)).session_id)
  subagent = idOf((await makeChild(home, main)).session_id)
  nested = idOf((await makeChild(home, subagent)).session_id)
  sibling = idOf((await makeChild(home, main)).session_id)
  stranger = await makeMain(home, 'Elsewhere')
})
afterEach(() => home.remove())

const send = (session_id: unknown, caller: Caller, message: unknown = 'And prune them') =>
  home.tools.session_send({ session_id, message }, caller)

const pathOf = async (id: SessionId) => valueOf(await home.tree.locate(id)).logPath

/** The logs that are different, by path from the tree. */
async function changedBy(action: () => Promise<unknown>): Promise<string[]> {
  const before = await snapshotOf(home.paths.home)
  await action()
  const after = await snapshotOf(home.paths.home)
  return Object.keys({ ...before, ...after }).filter((path) => before[path] !== after[path])
}

describe('a message', () => {
  it.each<[string, () => [Caller, SessionId]]>([
    ['a main to its fork', () => [session(main), fork]],
    ['a main to its subagent', () => [session(main), subagent]],
    ['a fork to its subagent', () => [session(fork), ofFork]],
    ['a subagent to its subagent', () => [session(subagent), nested]],
    ['the host to a main', () => [HOST, main]],
    ['the host, acting for a subagent, to its subagent', () => [{ kind: 'host', as: subagent }, nested]],
  ])('goes from %s into the log of that one alone, whole', async (_name, pick) => {
    const [caller, target] = pick()
    const message = 'One 🌳\ntwo\n\n"three"'
    const path = await pathOf(target)
    const changed = await changedBy(async () => {
      expect(valueOf(await send(target, caller, message))).toEqual({
        session_id: target,
        accepted: true,
        status: 'queued',
      })
    })
    expect(changed.map((name) => `${home.paths.home}/${name}`)).toEqual([path])
    const last = linesOf(await readFile(path, 'utf8')).at(-1)
    expect(last).toMatchObject({ type: 'agent/inbox/spliced', data: { inserted: [{ content: [{ text: message }] }] } })
  })

  it('waits behind those that wait already, in order', async () => {
    for (const message of ['first', 'second', 'third']) valueOf(await send(main, HOST, message))
    const waiting = linesOf(await readFile(await pathOf(main), 'utf8'))
      .filter(({ type }) => type === 'agent/inbox/spliced')
      .map(({ data }) => data)
    // The prompt the main was made with waits before them: no agent has taken it.
    const texts = ['Plant the orchard', 'first', 'second', 'third']
    expect(waiting).toMatchObject(texts.map((text, start) => ({ start, inserted: [{ content: [{ text }] }] })))
  })

  it('loses none of many that come at once', async () => {
    const sent = Array.from({ length: 25 }, (_, number) => send(subagent, session(main), `message ${number}.`))
    for (const result of await Promise.all(sent)) expect(result).toMatchObject({ ok: true })
    const log = await readFile(await pathOf(subagent), 'utf8')
    for (let number = 0; number < 25; number += 1) expect(log).toContain(`message ${number}.`)
    const seqs = linesOf(log)
      .slice(1)
      .map(({ seq }) => seq)
    expect(seqs).toEqual(seqs.map((_, index) => index))
  })
})

describe('a message that is refused changes no file (F03)', () => {
  it.each<[string, string, () => [Caller, SessionId]]>([
    ['oneself', 'not_direct_child', () => [session(subagent), subagent]],
    ['the own parent', 'not_direct_child', () => [session(subagent), main]],
    ['a grandparent', 'not_direct_child', () => [session(nested), main]],
    ['a sibling', 'not_direct_child', () => [session(subagent), sibling]],
    ['a fork beside', 'not_direct_child', () => [session(subagent), fork]],
    ['a grandchild', 'not_direct_child', () => [session(main), nested]],
    ['a cousin', 'not_direct_child', () => [session(fork), nested]],
    ['a stranger', 'outside_tree', () => [session(main), stranger]],
    ['a fork, by the host', 'not_direct_child', () => [HOST, fork]],
    ['a subagent, by the host', 'not_direct_child', () => [HOST, nested]],
    [
      'a grandchild, by the host that acts for the main',
      'not_direct_child',
      () => [{ kind: 'host', as: main }, nested],
    ],
    ['another main, by the host that acts for one', 'outside_tree', () => [{ kind: 'host', as: main }, stranger]],
    ['nobody there', 'unknown_session', () => [session(main), idOf('session-404')]],
    ['a child, by nobody there', 'unknown_session', () => [session('session-404'), subagent]],
  ])('to %s: %s', async (_name, code, pick) => {
    const [caller, target] = pick()
    const changed = await changedBy(async () => {
      expect(await send(target, caller)).toMatchObject({ ok: false, error: { code } })
    })
    expect(changed).toEqual([])
  })

  it.each(['', ' \n', '\u200b', undefined, null, 7, ['text'], 'x'.repeat(1_048_577)])('message %#', async (message) => {
    const changed = await changedBy(async () => {
      const refused = await home.tools.session_send({ session_id: main, message }, HOST)
      expect(refused).toMatchObject({ ok: false, error: { code: 'invalid_request', field: 'message' } })
    })
    expect(changed).toEqual([])
  })

  it('an unknown field, a cancelled call', async () => {
    const changed = await changedBy(async () => {
      const request = { session_id: main, message: 'Go', wait: true }
      const refused = await home.tools.session_send(request, HOST)
      expect(refused).toMatchObject({ ok: false, error: { code: 'invalid_request', field: 'wait' } })
      const sound = { session_id: main, message: 'Go' }
      const cancelled = await home.tools.session_send(sound, HOST, { signal: AbortSignal.abort() })
      expect(cancelled).toMatchObject({ ok: false, error: { code: 'cancelled' } })
    })
    expect(changed).toEqual([])
  })

  it('a log that is gone, or in the wrong place', async () => {
    await rm(await pathOf(sibling))
    const path = await pathOf(subagent)
    await writeFile(path, (await readFile(path, 'utf8')).replace('"kind":"subagent"', '"kind":"fork"'))
    const changed = await changedBy(async () => {
      expect(await send(sibling, session(main))).toMatchObject({ ok: false, error: { code: 'log_missing' } })
      expect(await send(subagent, session(main))).toMatchObject({ ok: false, error: { code: 'layout_mismatch' } })
    })
    expect(changed).toEqual([])
  })
})

describe('a rename', () => {
  it('is an event in that log; ids, folders and relations stay', async () => {
    const path = await pathOf(nested)
    const changed = await changedBy(async () => {
      valueOf(await renameSession(home.tree, nested, 'Sieve the 🌳\nseeds'))
      valueOf(await renameSession(home.tree, nested, '../x'))
    })
    expect(changed.map((name) => `${home.paths.home}/${name}`)).toEqual([path])
    const { tree } = valueOf(await home.tools.session_status({ session_id: nested }, HOST))
    expect(tree).toMatchObject({ session_id: nested, title: '../x', parent_session_id: subagent, session_path: path })
  })

  it.each(['', '  ', '\u200b', null, 7, 'x'.repeat(4001)])('to %j is refused', async (title) => {
    const changed = await changedBy(async () => {
      const refused = await renameSession(home.tree, nested, title)
      expect(refused).toMatchObject({ ok: false, error: { code: 'invalid_request', field: 'title' } })
    })
    expect(changed).toEqual([])
  })

  it('of nobody there is refused', async () => {
    expect(await renameSession(home.tree, 'session-404', 'x')).toMatchObject({ error: { code: 'unknown_session' } })
  })
})
