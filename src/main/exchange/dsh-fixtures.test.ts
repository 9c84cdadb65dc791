import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readDshEvents, readDshHeader } from './dsh/read-dsh.ts'
import { portableDecoder, zlibDecoder } from './dsh/zstd-decoder.ts'
import { NOTHING, openImportRoom, type ImportRoom } from './testing/import-room.ts'
import { snapshot } from './testing/snapshot.ts'

// Logs written by the real DSH; a clone does not have them.
const FIXTURES = fileURLToPath(new URL('../../../../shared/fixtures/dsh', import.meta.url))

interface Expected {
  readonly header: { readonly id: string; readonly parentSession?: string; readonly origin?: string }
  readonly storedEvents: number
  readonly lastStoredEvent: string
  readonly title?: string
}

describe.runIf(existsSync(FIXTURES))('the logs of the real DSH', () => {
  const expected: Readonly<Record<string, Expected>> = existsSync(FIXTURES)
    ? JSON.parse(readFileSync(join(FIXTURES, 'expected.json'), 'utf8'))
    : {}

  let room: ImportRoom
  beforeEach(async () => {
    room = await openImportRoom()
  })
  afterEach(() => room.remove())

  test.each(Object.keys(expected))('%s is read as DSH reads it', async (name) => {
    const encoding = name.endsWith('.zstd') ? 'zstd' : 'plain'
    const file = { path: join(FIXTURES, name), encoding } as const
    for (const decoder of encoding === 'zstd' ? [zlibDecoder(), portableDecoder] : [undefined]) {
      const types: string[] = []
      for await (const event of readDshEvents(file, { decoder })) {
        if (!event.ok) throw new Error(event.error.message)
        expect(event.value.seq).toBe(types.length)
        types.push(event.value.type)
      }
      expect(types).toHaveLength(expected[name]?.storedEvents ?? -1)
      expect(types.at(-1)).toBe(expected[name]?.lastStoredEvent)
      // The tree's logs say more than DSH knows; what DSH knows must be there.
      const { version: _, ...header } = { version: 0, ...expected[name]?.header }
      expect(await readDshHeader(file, { decoder })).toMatchObject({ ok: true, value: header })
    }
  })

  test.each(['plain', 'zstd', 'recovered'])('%s comes in whole, and only once', async (folder) => {
    const source = join(FIXTURES, folder)
    const before = await snapshot(source)
    const logs = Object.entries(expected).filter(([name]) => name.startsWith(`${folder}/`))
    expect(await room.run({ folders: [source] })).toEqual({ ...NOTHING, found: logs.length, imported: logs.length })
    expect(await snapshot(source)).toEqual(before)

    for (const [name, { header, storedEvents, title }] of logs) {
      const id = basename(dirname(name))
      const place = await room.placeOf(id)
      const fork = header.parentSession === undefined ? 'main' : 'fork'
      expect(place.kind).toBe(header.origin ?? fork)
      expect(place.ancestors.at(-1)).toBe(header.parentSession)
      expect(await room.eventsOf(id)).toHaveLength(storedEvents)
      const facts = await room.tree.facts(place)
      expect(facts.problem).toBeUndefined()
      // DSH shows a fork its parent's title; for us a title is a session's own (design §3).
      if (fork === 'main') expect(facts.title).toBe(title)
    }
    expect(await room.faults()).toEqual([])
    const tree = await snapshot(room.root)
    expect(await room.run({ folders: [source] })).toEqual({ ...NOTHING, found: logs.length, unchanged: logs.length })
    expect(await snapshot(room.root)).toEqual(tree)
  })

  test('what DSH has recovered since is an extension of what was cut', async () => {
    await room.run({ folders: [join(FIXTURES, 'plain')] })
    expect(await room.run({ folders: [join(FIXTURES, 'recovered')] })).toEqual({ ...NOTHING, found: 5, extended: 5 })
    expect(await room.run({ folders: [join(FIXTURES, 'plain')] })).toEqual({ ...NOTHING, found: 15, unchanged: 15 })
  })

  test('a session tree is no source', async () => {
    expect(await room.run({ folders: [join(FIXTURES, 'tree')] })).toEqual(NOTHING)
  })
})
