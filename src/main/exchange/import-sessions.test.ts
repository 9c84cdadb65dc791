import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fail, ok } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import { importSessions } from './import-sessions.ts'
import type { ForeignSession, SessionSource } from './source.ts'
import { conversation } from './testing/conversation.ts'
import { openImportRoom, writeFamily, type ImportRoom } from './testing/import-room.ts'

let room: ImportRoom
beforeEach(async () => {
  room = await openImportRoom()
})
afterEach(() => room.remove())

describe('progress and cancel', () => {
  test('progress rises to the total', async () => {
    await writeFamily(await room.store())
    const said: [number, number][] = []
    await room.run({ onProgress: ({ done, total }) => said.push([done, total]) })
    expect(said[0]).toEqual([0, 4])
    expect(said.at(-1)).toEqual([4, 4])
    expect(said).toEqual(said.toSorted(([a], [b]) => a - b))
  })

  test('between sessions: whole ones stay, the rest are not begun', async () => {
    const stop = new AbortController()
    const report = await importSessions(
      sourceOf([plainSession('session-1'), plainSession('session-2', () => stop.abort())]),
      {
        tree: room.tree,
        folders: [],
        signal: stop.signal,
      },
    )
    expect(report).toMatchObject({ imported: 1, cancelled: true, failed: [] })
    expect(await room.kinds()).toEqual({ 'session-1': 'main' })
  })

  test('within an extension: what is there is whole, and the next run brings the rest', async () => {
    await importSessions(sourceOf([plainSession('session-1', undefined, 5)]), { tree: room.tree, folders: [] })
    const stop = new AbortController()
    const report = await importSessions(sourceOf([plainSession('session-1', () => stop.abort())]), {
      tree: room.tree,
      folders: [],
      signal: stop.signal,
    })
    expect(report).toMatchObject({ cancelled: true, failed: [] })
    expect(await room.eventsOf('session-1')).toEqual(EVENTS.slice(0, 5))
    await importSessions(sourceOf([plainSession('session-1')]), { tree: room.tree, folders: [] })
    expect(await room.eventsOf('session-1')).toEqual(EVENTS)
  })
})

/** One source's sessions, as the import sees any. */
function sourceOf(sessions: readonly ForeignSession[]): SessionSource {
  return {
    label: 'test',
    async *find() {
      for (const session of sessions) yield { kind: 'session', session }
    },
  }
}

const EVENTS = conversation(1)

/** `halfway` is called in the middle of the reading; a source ends where its signal says so. */
function plainSession(id: string, halfway?: () => void, length?: number): ForeignSession {
  const events = EVENTS.slice(0, length)
  return {
    id,
    path: id,
    createdAt: Number(id.slice(-1)),
    relation: 'fork',
    async *events(signal) {
      for (const event of events) {
        if (event.seq === Math.floor(events.length / 2)) halfway?.()
        if (signal?.aborted) {
          yield fail(toolError('cancelled', 'Cancelled.'))
          return
        }
        yield ok(event)
      }
    },
  }
}
