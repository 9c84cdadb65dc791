import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startDshBackend } from '../session-tree/testing/dsh-oracle.ts'
import { openSessionTree } from '../session-tree/tree-provider.ts'
import { countDsh, importDsh } from './dsh-import.ts'
import { safeSessionId } from './safe-id.ts'
import { conversation } from './testing/conversation.ts'
import {
  FORK,
  MAIN,
  mainHeader,
  NESTED,
  NOTHING,
  openImportRoom,
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

describe('a first import', () => {
  test.each(['none', 'zstd'] as const)(
    '%s: ids, kinds and every event come in, and the source is only read',
    async (encoding) => {
      const dsh = await room.store(encoding)
      await writeFamily(dsh)
      const before = await snapshot(room.source)
      const report = await room.run()
      expect(report).toEqual({ ...NOTHING, found: 4, imported: 4 })
      expect(await snapshot(room.source)).toEqual(before)
      expect(await room.faults()).toEqual([])
      expect(await room.kinds()).toEqual({
        [MAIN]: 'main',
        [FORK]: `fork < ${MAIN}`,
        [SUBAGENT]: `subagent < ${MAIN}`,
        [NESTED]: `subagent < ${MAIN} < ${SUBAGENT}`,
      })
      for (const id of [MAIN, FORK, SUBAGENT, NESTED]) expect(await room.eventsOf(id)).toEqual(await dsh.stored(id))
    },
  )

  test('the log is plain, one event a line, and says where a fork’s own part begins', async () => {
    await writeFamily(await room.store())
    await room.run()
    const { logPath } = await room.placeOf(FORK)
    const bytes = await readFile(logPath)
    const header = await room.headerOf(FORK)
    const events = await room.eventsOf(FORK)
    expect(bytes.toString().split('\n')).toHaveLength(events.length + 2)
    const own = bytes.subarray(Number(header['seedBytes'])).toString().split('\n')[0] ?? ''
    expect(JSON.parse(own)).toEqual(events[Number(header['seedLength'])])
  })

  test('DSH loads every imported log, with the header it wrote', async () => {
    const dsh = await room.store()
    await writeFamily(dsh)
    await room.run()
    const wrote = await dsh.list()
    const again = await startDshBackend()
    try {
      for await (const place of room.tree.places()) {
        const loaded = await again.load(place.logPath)
        expect(loaded.repaired).toBe(false)
        expect(loaded.events).toEqual(await dsh.inspect(place.id))
        expect(wrote).toContainEqual(loaded.meta)
      }
      expect(await again.list()).toHaveLength(wrote.length)
    } finally {
      await again.stop()
    }
  })

  test('an open turn stays open, and nothing is added', async () => {
    const events = conversation(2)
    const open = events.slice(
      0,
      events.findLastIndex((event) => event.type === 'tool/result'),
    )
    await writeSession(await room.store(), MAIN, {}, open)
    await room.run()
    expect(await room.eventsOf(MAIN)).toEqual(open)
  })

  test('a dry run says the same and writes nothing', async () => {
    await writeFamily(await room.store())
    const before = await snapshot(room.home)
    expect(await room.run({ dryRun: true })).toEqual({ ...NOTHING, found: 4, imported: 4 })
    expect(await snapshot(room.home)).toEqual(before)
  })

  test.each([
    'projects/orchard',
    '~/orchard',
    'C:\\Users\\dev',
    '\\\\wsl.localhost\\x',
    '/home/dev/../dev/./x',
    undefined,
  ])('a folder of %j is kept as it is written', async (cwd) => {
    await room.putLog('--x--', MAIN, [{ ...mainHeader(MAIN), cwd }, ...conversation(1)])
    expect(await room.run()).toEqual({ ...NOTHING, found: 1, imported: 1 })
    expect((await room.headerOf(MAIN))['cwd']).toBe(cwd)
    expect(await room.faults()).toEqual([])
  })

  test('an id that is no folder name is derived, its children find it, and a second run knows it', async () => {
    const dsh = await room.store()
    await writeSession(dsh, '../my session')
    await writeSession(dsh, SUBAGENT, { parentSession: '../my session', origin: 'subagent', delegationDepth: 1 })
    expect(await room.run()).toEqual({ ...NOTHING, found: 2, imported: 2 })
    const { id } = safeSessionId('../my session')
    expect(await room.kinds()).toEqual({ [id]: 'main', [SUBAGENT]: `subagent < ${id}` })
    expect((await room.headerOf(id))['legacy']).toMatchObject({ id: '../my session' })
    expect(await room.run()).toEqual({ ...NOTHING, found: 2, unchanged: 2 })
  })

  test('a fork of a fork, and children of what is not there, become mains that say why', async () => {
    const dsh = await room.store()
    await writeFamily(dsh)
    const [ofFork, orphan, child] = ['session-51', 'session-52', 'session-53']
    await writeSession(dsh, ofFork, { parentSession: FORK, seedLength: 3 })
    await writeSession(dsh, orphan, { parentSession: 'session-404', origin: 'subagent', delegationDepth: 3 })
    await writeSession(dsh, child, { parentSession: orphan, origin: 'subagent', delegationDepth: 4 })
    const report = await room.run()
    expect(report).toMatchObject({ found: 7, imported: 7, failed: [] })
    expect(await room.faults()).toEqual([])
    expect(report.legacyRoots.map((each) => each.session).toSorted()).toEqual([ofFork, orphan])
    expect(await room.kinds()).toMatchObject({ [ofFork]: 'main', [orphan]: 'main', [child]: `subagent < ${orphan}` })
    expect(await room.headerOf(ofFork)).toMatchObject({ legacy: { parentSession: FORK } })
  })
})

describe('what is no source', () => {
  test('a session tree, given by itself or as part of its home', async () => {
    await writeFamily(await room.store())
    await room.run()
    const other = openSessionTree(join(room.home, 'other'))
    expect(await room.run({ tree: other, folders: [room.root] })).toEqual(NOTHING)
    expect(await room.run({ tree: other, folders: [room.home] })).toEqual({ ...NOTHING, found: 4, imported: 4 })
  })

  test('folders that are not there: an error if none is, else the others', async () => {
    expect(await importDsh({ tree: room.tree, folders: [join(room.home, 'x'), join(room.home, 'y')] })).toMatchObject({
      ok: false,
      error: { code: 'import_failed', message: expect.stringContaining(join(room.home, 'y')) },
    })
    await writeSession(await room.store(), MAIN)
    expect(await room.run({ folders: [join(room.home, 'x'), room.source] })).toMatchObject({ imported: 1, failed: [] })
  })
})

describe('the count for the offer', () => {
  test('counts what is not in the tree, without opening a log', async () => {
    const dsh = await room.store()
    await writeFamily(dsh)
    await writeSession(dsh, '../odd ~ id')
    const empty = join(room.home, 'sessions-plain')
    await mkdir(empty)
    expect(await countDsh({ tree: room.tree, folders: [room.source, empty, join(room.home, 'none')] })).toEqual({
      found: 5,
      folders: [room.source],
    })
    await rm(join(room.source, '--workspace-demo--', SUBAGENT), { recursive: true })
    await room.run()
    expect(await countDsh({ tree: room.tree, folders: [room.source] })).toEqual({ found: 0, folders: [] })
    await writeSession(dsh, 'session-77')
    expect(await countDsh({ tree: room.tree, folders: [room.source] })).toEqual({ found: 1, folders: [room.source] })
  })
})
