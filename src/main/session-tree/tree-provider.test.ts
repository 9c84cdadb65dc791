import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { mainPlace } from './layout.ts'
import { newSessionId } from './session-id.ts'
import { openSessionTree } from './tree-provider.ts'
import { sampleLog, writeAt } from './testing/sample-log.ts'
import {
  allOf,
  createIn,
  errorOf,
  forkOf,
  makeTreeHome,
  newSession,
  sessionId,
  turnDrafts,
  valueOf,
  type TreeHome,
} from './testing/tree-home.ts'

let home: TreeHome

beforeEach(() => {
  home = makeTreeHome()
})

afterEach(() => home.remove())

/** A main with a fork that has a helper, and a helper that has one of its own. */
async function family() {
  const main = await createIn(home.tree, { title: 'Main' })
  valueOf(await home.tree.appendNext(main.id, turnDrafts(1, 'Count the apples.')))
  const fork = await forkOf(home.tree, main.id, { title: 'Fork' })
  const helper = await createIn(home.tree, { kind: 'subagent', parent: main.id, title: 'Helper' })
  const forkHelper = await createIn(home.tree, { kind: 'subagent', parent: fork.id, title: 'Fork’s helper' })
  const nested = await createIn(home.tree, { kind: 'subagent', parent: helper.id, title: 'Helper’s helper' })
  return { main, fork, helper, forkHelper, nested }
}

describe('view', () => {
  test('is one nested tree, shaped like the folders, and nothing else', async () => {
    const { main, fork, helper, forkHelper, nested } = await family()
    const common = { root_session_id: main.id, status: 'cold', cwd: '/home/dev/orchard' }
    const times = { created_at: expect.stringMatching(/^\d{4}-.*Z$/), updated_at: expect.stringMatching(/^\d{4}-.*Z$/) }
    expect(valueOf(await home.tree.view(main.id))).toEqual({
      ...common,
      ...times,
      session_id: main.id,
      kind: 'main',
      title: 'Main',
      session_path: main.logPath,
      forks: [
        {
          ...common,
          ...times,
          session_id: fork.id,
          parent_session_id: main.id,
          kind: 'fork',
          title: 'Fork',
          session_path: fork.logPath,
          forks: [],
          subagents: [
            expect.objectContaining({ session_id: forkHelper.id, parent_session_id: fork.id, kind: 'subagent' }),
          ],
        },
      ],
      subagents: [
        expect.objectContaining({
          session_id: helper.id,
          forks: [],
          subagents: [expect.objectContaining({ session_id: nested.id, parent_session_id: helper.id })],
        }),
      ],
    })
    expect(valueOf(await home.tree.view(fork.id))).toMatchObject({ session_id: fork.id, root_session_id: main.id })
    expect(readFileSync(nested.logPath, 'utf8')).toContain('Helper’s helper')
  })

  test('keeps odd sessions in their folder’s place, and what is below them', async () => {
    const { main, fork, helper, nested } = await family()
    writeFileSync(fork.logPath, readFileSync(fork.logPath, 'utf8').replace('"kind":"fork"', '"kind":"main"'))
    rmSync(helper.logPath)
    writeFileSync(nested.logPath, '')
    const view = valueOf(await home.tree.view(main.id))
    expect(view.forks).toMatchObject([
      { session_id: fork.id, kind: 'fork', status: 'failed', title: 'Fork', subagents: [{ status: 'cold' }] },
    ])
    expect(view.subagents).toMatchObject([
      {
        session_id: helper.id,
        kind: 'subagent',
        status: 'missing',
        subagents: [{ session_id: nested.id, status: 'failed' }],
      },
    ])
  })

  test('orders by creation, then by id, also where the clock stood still or was wild', async () => {
    const main = await createIn(home.tree)
    const ids = Array.from({ length: 10 }, () => newSessionId())
    await Promise.all(ids.map((id) => createIn(home.tree, { id, kind: 'subagent', parent: main.id, createdAt: 5 })))
    const early = await createIn(home.tree, { kind: 'subagent', parent: main.id, createdAt: 0 })
    const wild = await createIn(home.tree, { kind: 'subagent', parent: main.id, createdAt: Number.MAX_SAFE_INTEGER })
    const { subagents } = valueOf(await home.tree.view(main.id))
    expect(subagents.map((each) => each.session_id)).toEqual([early.id, ...ids.toSorted(), wild.id])
  })

  test('of a session that is nowhere is an error', async () => {
    expect(errorOf(await home.tree.view(newSessionId())).code).toBe('unknown_session')
  })
})

describe('places', () => {
  test('come mains first and parents before children; strays are passed over', async () => {
    const { main, fork, helper, forkHelper, nested } = await family()
    const other = await createIn(home.tree)
    mkdirSync(join(home.root, 'notes'))
    mkdirSync(join(home.root, '.new-left'))
    mkdirSync(join(fork.directory, 'forks', newSessionId()), { recursive: true })
    writeFileSync(join(home.root, newSessionId()), 'a file')
    symlinkSync(main.directory, join(home.root, newSessionId()))
    const places = await allOf(home.tree.places())
    expect(new Set(places.map((place) => place.id))).toEqual(
      new Set([main, other, fork, helper, forkHelper, nested].map((each) => each.id)),
    )
    expect(places.slice(0, 2).map((place) => place.kind)).toEqual(['main', 'main'])
    for (const [index, place] of places.entries()) {
      for (const ancestor of place.ancestors) expect(places.slice(0, index).map((each) => each.id)).toContain(ancestor)
      expect(valueOf(await openSessionTree(home.root).locate(place.id))).toEqual(place)
    }
    expect((await home.tree.mains()).map((place) => place.id)).toEqual([main.id, other.id].toSorted())
  })

  test('a home without a tree has none', async () => {
    expect(await allOf(home.tree.places())).toEqual([])
    expect(await home.tree.mains()).toEqual([])
    expect(errorOf(await home.tree.locate(newSessionId())).code).toBe('unknown_session')
    expect(existsSync(home.root)).toBe(false)
  })

  test('are what is on disk now, not what was remembered', async () => {
    const { main, fork, helper } = await family()
    valueOf(await home.tree.locate(helper.id))
    rmSync(helper.directory, { recursive: true })
    expect(errorOf(await home.tree.locate(helper.id)).code).toBe('unknown_session')
    const other = await createIn(home.tree)
    mkdirSync(join(other.directory, 'subagents'))
    renameSync(fork.directory, join(other.directory, 'subagents', fork.id))
    expect(valueOf(await home.tree.locate(fork.id))).toMatchObject({ kind: 'subagent', ancestors: [other.id] })
    expect((await home.tree.facts(valueOf(await home.tree.locate(fork.id)))).problem).toMatchObject({
      code: 'layout_mismatch',
      field: 'kind',
    })
    expect(main.id).not.toBe(other.id)
  })

  test('survive a restart', async () => {
    const { main } = await family()
    const view = valueOf(await home.tree.view(main.id))
    expect(valueOf(await openSessionTree(home.root).view(main.id))).toEqual(view)
  })
})

describe('load', () => {
  const ID = sessionId('session-0f010000-0000-4000-8000-000000000001')
  const load = async (content: string | Uint8Array) => {
    writeAt(mainPlace(home.root, ID).logPath, content)
    return home.tree.load(ID)
  }
  const results = async (content: string | Uint8Array) => allOf(valueOf(await load(content)).events)

  test('gives every event, and unpacks packed rows', async () => {
    const log = sampleLog(ID).turnStart().stepStart()
    const data = { turn: 1, step: 1, index: 0, dt: [2, 3], texts: ['a', 'b', 'c'] }
    const row = JSON.stringify({ type: 'text-chunks', seq0: 2, time0: 10, data })
    const loaded = await results(`${log.text()}${row}\n`)
    expect(loaded.map((result) => valueOf(result).seq)).toEqual([0, 1, 2, 3, 4])
    expect(loaded.map((result) => valueOf(result).time).slice(2)).toEqual([10, 12, 15])
  })

  test('streams: a long log is not held whole', async () => {
    const log = sampleLog(ID)
    for (let turn = 0; turn < 3000; turn++) log.turn(`Q ${turn}`, 'A'.repeat(2000))
    writeAt(mainPlace(home.root, ID).logPath, log.text())
    let count = 0
    for await (const event of valueOf(await home.tree.load(ID)).events) expect(valueOf(event).seq).toBe(count++)
    expect(count).toBe(18_000)
  })

  test.each<[string, (text: string) => string, string, number]>([
    ['a gap', (text) => text.replace('"seq":3', '"seq":4'), 'log_damaged', 3],
    ['a repeated seq', (text) => text.replace('"seq":3', '"seq":2'), 'log_damaged', 3],
    ['a damaged line', (text) => text.replace('"seq":3', '"seq"'), 'log_damaged', 3],
    ['an extra field', (text) => text.replace('"seq":3', '"extra":1,"seq":3'), 'log_damaged', 3],
    ['a type from the future', (text) => text.replace('"turn/end"', '"turn/forked"'), 'unknown_event', 5],
  ])('ends after %s', async (_name, change, code, before) => {
    const loaded = await results(change(sampleLog(ID).turn('Q', 'A').turn('Q', 'A').text()))
    expect(loaded).toHaveLength(before + 1)
    expect(loaded.slice(0, -1).every((result) => result.ok)).toBe(true)
    expect(loaded.at(-1)).toMatchObject({ ok: false, error: { code, path: mainPlace(home.root, ID).logPath } })
  })

  test('ends without failure at a cut last line; marks, returns and blank lines are ignored', async () => {
    const log = sampleLog(ID).turn('Q\u2028R', 'A')
    expect(await results(log.text().slice(0, -2))).toHaveLength(5)
    expect(await results(`\uFEFF${log.lines.join('\r\n\r\n')}\r\n`)).toHaveLength(6)
  })

  test.each<[string, (text: string) => string | Uint8Array, string]>([
    ['an unknown version', (text) => text.replace('"version":0', '"version":1'), 'unsupported_version'],
    ['a mismatch', (text) => text.replace('"kind":"main"', '"kind":"fork"'), 'layout_mismatch'],
    ['no header', (text) => text.slice(text.indexOf('\n') + 1), 'log_damaged'],
    ['UTF-16', (text) => Buffer.from(text, 'utf16le'), 'not_utf8'],
  ])('is refused for %s', async (_name, change, code) => {
    expect(errorOf(await load(change(sampleLog(ID).turn('Q', 'A').text()))).code).toBe(code)
  })
})

test('looking changes nothing: not a byte, not a time, and it needs no right to write', async () => {
  const { main, fork } = await family()
  const stamp = () =>
    readdirSync(home.folder, { recursive: true })
      .map(String)
      .toSorted()
      .map((path) => {
        const { mtimeMs, ctimeMs, size } = statSync(join(home.folder, path))
        return [path, mtimeMs, ctimeMs, size]
      })
  chmodSync(home.root, 0o500)
  const before = stamp()
  const tree = openSessionTree(home.root)
  for (const place of await allOf(tree.places())) {
    await tree.facts(place)
    await tree.findTitle(place)
    valueOf(await tree.read(place.id, { lines: 50 }))
    valueOf(await tree.readLine(place.id, 0))
    valueOf(await tree.boundary(place.id))
    await allOf(valueOf(await tree.load(place.id)).events)
  }
  valueOf(await tree.view(main.id))
  valueOf(await tree.view(fork.id))
  expect(stamp()).toEqual(before)
  chmodSync(home.root, 0o700)
})

test('what only looks does not stand in the way of what writes', async () => {
  const { main } = await family()
  const [view, receipt, fork] = await Promise.all([
    home.tree.view(main.id),
    home.tree.rename(main.id, 'Renamed'),
    home.tree.create(newSession({ kind: 'subagent', parent: main.id })),
  ])
  expect([view.ok, receipt.ok, fork.ok]).toEqual([true, true, true])
})
