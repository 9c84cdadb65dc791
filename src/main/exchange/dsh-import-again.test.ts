import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { conversation } from './testing/conversation.ts'
import {
  FORK,
  MAIN,
  mainHeader,
  NESTED,
  NOTHING,
  openImportRoom,
  sessionId,
  SUBAGENT,
  writeFamily,
  writeSession,
  type ImportRoom,
} from './testing/import-room.ts'
import { snapshot } from './testing/snapshot.ts'

let room: ImportRoom
beforeEach(async () => {
  room = await openImportRoom()
})
afterEach(() => room.remove())

describe('another run', () => {
  test('brings new sessions and new events, and nothing else changes', async () => {
    const dsh = await room.store()
    const events = conversation(3)
    const turnEnd = events.findIndex((event) => event.type === 'turn/end') + 1
    await writeSession(dsh, MAIN, {}, events.slice(0, turnEnd))
    await writeSession(dsh, SUBAGENT, { parentSession: MAIN, origin: 'subagent', delegationDepth: 1 })
    await room.run()
    const before = await snapshot(room.root)
    expect(await room.run()).toEqual({ ...NOTHING, found: 2, unchanged: 2 })
    expect(await snapshot(room.root)).toEqual(before)

    await dsh.append(MAIN, events.slice(turnEnd))
    await writeSession(dsh, FORK, { parentSession: MAIN, seedLength: turnEnd }, events)
    const grown = await snapshot(room.source)
    expect(await room.run({ dryRun: true })).toEqual({ ...NOTHING, found: 3, imported: 1, extended: 1, unchanged: 1 })
    expect(await room.run()).toEqual({ ...NOTHING, found: 3, imported: 1, extended: 1, unchanged: 1 })
    expect(await snapshot(room.source)).toEqual(grown)
    expect(await room.eventsOf(MAIN)).toEqual(events)
    expect(await room.run()).toEqual({ ...NOTHING, found: 3, unchanged: 3 })
    expect(await room.faults()).toEqual([])
  })

  test('many new events come in more than one batch', async () => {
    const events = conversation(60)
    expect(events.length).toBeGreaterThan(2000)
    const dsh = await room.store()
    await writeSession(dsh, MAIN, {}, events.slice(0, 10))
    await room.run()
    await dsh.append(MAIN, events.slice(10))
    expect(await room.run()).toEqual({ ...NOTHING, found: 1, extended: 1 })
    expect(await room.eventsOf(MAIN)).toEqual(events)
  })

  test('a log that went on in the tree is unchanged while it holds the source, and diverged once both went on', async () => {
    const dsh = await room.store()
    const events = conversation(2)
    const turnEnd = events.findIndex((event) => event.type === 'turn/end') + 1
    await writeSession(dsh, MAIN, {}, events.slice(0, turnEnd))
    await room.run()
    const title = { title: 'Mine', messageSeqs: [], source: { kind: 'user' } }
    await room.tree.appendNext(sessionId(MAIN), [{ type: 'session/title', time: 9, data: title }])
    expect(await room.run()).toEqual({ ...NOTHING, found: 1, unchanged: 1 })

    await dsh.append(MAIN, events.slice(turnEnd))
    const before = await snapshot(room.root)
    const report = await room.run()
    expect(report).toMatchObject({ found: 1, extended: 0, unchanged: 0, failed: [] })
    expect(report.diverged).toEqual([{ session: MAIN, message: expect.stringContaining(`up to event ${turnEnd}`) }])
    expect(await snapshot(room.root)).toEqual(before)
  })

  test('damage behind the part we have changes nothing', async () => {
    const lines = conversation(2)
    await room.putLog('--workspace-demo--', MAIN, [mainHeader(MAIN), ...lines.slice(0, 9)])
    await room.run()
    await room.putLog('--workspace-demo--', MAIN, [mainHeader(MAIN), ...lines.slice(0, 12), ...lines.slice(13)])
    const before = await snapshot(room.root)
    const report = await room.run()
    expect(report).toMatchObject({ extended: 0, failed: [{ session: MAIN, message: expect.stringContaining('seq') }] })
    expect(await snapshot(room.root)).toEqual(before)
  })
})

describe('bad ones among good ones', () => {
  test('each is told with its path, leaves nothing, and the rest come in', async () => {
    const dsh = await room.store('none')
    await writeFamily(dsh)
    const lines = conversation(2)
    await room.putLog('--x--', 'session-61', [mainHeader('session-61'), ...lines.slice(0, 5), ...lines.slice(6)])
    await room.putLog('--x--', 'session-62', [{ ...mainHeader('session-62'), version: 3 }])
    await room.putLog('--x--', 'session-63', [
      mainHeader('session-63'),
      { type: 'garden/watered', seq: 0, time: 1, data: {} },
    ])
    await room.putLog('--x--', 'session-64', [{ ...mainHeader('session-64'), createdAt: null }])
    await mkdir(join(room.source, '--x--', 'session-65'))
    await writeFile(join(room.source, '--x--', 'session-65', 'session.v4.jsonl.zstd'), '')
    await mkdir(join(room.source, '--x--', 'session-66', 'session.jsonl'), { recursive: true })
    const report = await room.run()
    expect(report).toMatchObject({ found: 9, imported: 4, cancelled: false })
    const failed = new Map(report.failed.map((each) => [each.session, each.message]))
    expect([...failed.keys()].toSorted()).toEqual([
      'session-61',
      'session-62',
      'session-63',
      'session-64',
      'session-65',
    ])
    for (const [session, message] of failed) expect(message).toContain(join(room.source, '--x--', session))
    expect(Object.keys(await room.kinds()).toSorted()).toEqual([MAIN, FORK, SUBAGENT, NESTED].toSorted())
    expect(Object.keys(await snapshot(room.root)).filter((name) => name.includes('.new-'))).toEqual([])
  })

  test('the children of a bad one come in as mains', async () => {
    await writeFamily(await room.store('none'))
    const log = join(room.source, '--workspace-demo--', SUBAGENT, 'session.jsonl')
    await writeFile(log, (await readFile(log, 'utf8')).replace('"turn/start"', '"turn/begin"'))
    const report = await room.run()
    expect(report).toMatchObject({ imported: 3, failed: [{ session: SUBAGENT }], legacyRoots: [{ session: NESTED }] })
    expect(await room.kinds()).toMatchObject({ [NESTED]: 'main' })
  })
})

describe('the same session twice', () => {
  test('plain and zstd, one a prefix of the other: the longer is taken', async () => {
    const events = conversation(2)
    await writeSession(await room.store('none', join(room.home, 'a')), MAIN, {}, events.slice(0, 20))
    await writeSession(await room.store('zstd', join(room.home, 'b')), MAIN, {}, events)
    expect(await room.run({ folders: [join(room.home, 'a'), join(room.home, 'b'), join(room.home, 'a')] })).toEqual({
      ...NOTHING,
      found: 1,
      imported: 1,
    })
    expect(await room.eventsOf(MAIN)).toEqual(events)
  })

  test('different: neither is taken, both are named', async () => {
    await writeSession(await room.store('none', join(room.home, 'a')), MAIN, {}, conversation(1, 'one'))
    await writeSession(await room.store('zstd', join(room.home, 'b')), MAIN, {}, conversation(1, 'other'))
    const report = await room.run({ folders: [join(room.home, 'b'), join(room.home, 'a')] })
    expect(report).toMatchObject({ imported: 0, failed: [{ session: MAIN }] })
    expect(report.failed[0]?.message).toContain(join(room.home, 'a'))
    expect(report.failed[0]?.message).toContain(join(room.home, 'b'))
    expect(await room.kinds()).toEqual({})
  })

  test('one of them damaged: the sound one is taken, the other told', async () => {
    const events = conversation(1)
    await writeSession(await room.store('none', join(room.home, 'a')), MAIN, {}, events)
    await writeSession(await room.store('zstd', join(room.home, 'b')), MAIN, {}, events)
    const log = join(room.home, 'b', '--workspace-demo--', MAIN, 'session.jsonl.zstd')
    const bytes = await readFile(log)
    bytes[bytes.length - 20] = (bytes[bytes.length - 20] ?? 0) ^ 1
    await writeFile(log, bytes)
    for (const folders of [
      [join(room.home, 'a'), join(room.home, 'b')],
      [join(room.home, 'b'), join(room.home, 'a')],
    ]) {
      const report = await room.run({ folders })
      expect(report).toMatchObject({ failed: [{ session: MAIN, message: expect.stringContaining(log) }] })
      expect(await room.eventsOf(MAIN)).toEqual(events)
    }
  })
})
