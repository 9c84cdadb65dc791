import { existsSync } from 'node:fs'
import { mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { mainPlace } from '../session-tree/layout.ts'
import { newSessionId } from '../session-tree/session-id.ts'
import type { SessionFacts } from '../session-tree/session-tree.ts'
import { keptFactsOf, openCatalog, parseFacts, type Catalog } from './catalog.ts'
import { openDatabase } from './database.ts'

let home: string
let path: string
const opened: Catalog[] = []

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'catalog-'))
  path = join(home, 'treeline', 'catalog.db')
})

afterEach(async () => {
  for (const catalog of opened.splice(0)) catalog.close()
  await rm(home, { recursive: true, force: true })
})

function openOrThrow(): Catalog {
  const catalog = openCatalog(path)
  if (!catalog.ok) throw new Error(catalog.error.message)
  opened.push(catalog.value)
  return catalog.value
}

function close(catalog: Catalog): void {
  opened.splice(opened.indexOf(catalog), 1)
  catalog.close()
}

function facts(size = 100): SessionFacts {
  const id = newSessionId()
  const place = mainPlace(join(home, 'session-tree'), id)
  return {
    place,
    header: { type: 'session', version: 0, id, createdAt: 5, delegationDepth: 0, kind: 'main', root_session_id: id },
    title: 'Ein „Titel“ 秃发',
    firstPrompt: 'Mend the roof',
    settled: true,
    updatedAt: 1_788_000_000_123,
    status: 'cold',
    openTurn: false,
    cutTail: false,
    waiting: true,
    file: { size, mtimeMs: 1_788_000_000_123.456, inode: 2 ** 60 },
  }
}

describe('what is kept', () => {
  test('comes back as it was, in another opening of the file', () => {
    const one = facts()
    const other = facts()
    const catalog = openOrThrow()
    catalog.put([one, other])
    close(catalog)
    const kept = openOrThrow().all()
    expect(kept.size).toBe(2)
    expect(keptFactsOf(one.place, one.file, kept.get(one.place.logPath))).toEqual(one)
    expect(keptFactsOf(other.place, other.file, kept.get(other.place.logPath))).toEqual(other)
  })

  test('holds only while size, time and inode are what they were', () => {
    const { place, file, ...rest } = facts()
    const catalog = openOrThrow()
    catalog.put([{ ...rest, place, ...(file ? { file } : {}) }])
    const kept = catalog.get(place.logPath)
    if (!file || !kept) throw new Error('nothing was kept')
    expect(keptFactsOf(place, { ...file, size: 101 }, kept)).toBeUndefined()
    expect(keptFactsOf(place, { ...file, mtimeMs: file.mtimeMs + 0.001 }, kept)).toBeUndefined()
    expect(keptFactsOf(place, { ...file, inode: 7 }, kept)).toBeUndefined()
    expect(keptFactsOf(place, undefined, kept)).toBeUndefined()
    expect(keptFactsOf(place, file, undefined)).toBeUndefined()
  })

  test('newer facts take the place of older ones; what has no log is not kept', () => {
    const first = facts()
    const { file: _file, ...missing } = facts()
    const catalog = openOrThrow()
    catalog.put([first, missing])
    catalog.put([{ ...first, title: 'Newer' }])
    expect([...catalog.all().keys()]).toEqual([first.place.logPath])
    const kept = catalog.get(first.place.logPath)
    expect(kept && parseFacts(kept, first.place).title).toBe('Newer')
  })

  test('is forgotten by id and by path', () => {
    const [one, two, three] = [facts(), facts(), facts()]
    const catalog = openOrThrow()
    catalog.put([one, two, three])
    catalog.remove([one.place.id, newSessionId()])
    catalog.removeLogs([two.place.logPath])
    expect([...catalog.all().keys()]).toEqual([three.place.logPath])
  })
})

describe('the file is derived', () => {
  test('it and what SQLite keeps beside it can be read by nobody else', async () => {
    openOrThrow().put([facts()])
    for (const file of [path, `${path}-wal`, `${path}-shm`]) {
      expect((await stat(file)).mode & 0o777, file).toBe(0o600)
    }
  })

  test('one of another version is dropped and begun anew', () => {
    const catalog = openOrThrow()
    catalog.put([facts()])
    close(catalog)
    const database = openDatabase(path, undefined)
    if (!database.ok) throw new Error(database.error.message)
    database.value.pragma('user_version = 9999')
    database.value.close()
    const renewed = openOrThrow()
    expect(renewed.all().size).toBe(0)
    renewed.put([facts()])
    expect(renewed.all().size).toBe(1)
  })

  test.each(['no database at all, but text', ''])('one that holds %j is begun anew', async (text) => {
    close(openOrThrow())
    await writeFile(path, text)
    const catalog = openOrThrow()
    catalog.put([facts()])
    expect(catalog.all().size).toBe(1)
  })

  test('one whose pages are spoiled while it is open is begun anew', async () => {
    const first = openOrThrow()
    first.put(Array.from({ length: 2000 }, () => facts()))
    close(first)
    const { size } = await stat(path)
    const file = await open(path, 'r+')
    // Behind the first page, which the opening itself reads.
    await file.write(Buffer.alloc(size - 4096, 0x5a), 0, size - 4096, 4096)
    await file.close()
    const catalog = openOrThrow()
    expect(catalog.all().size).toBe(0)
    const [one] = [facts()]
    catalog.put([one])
    expect([...catalog.all().keys()]).toEqual([one.place.logPath])
  })

  test('a place where it cannot be is an error in words, and the runtime lives on', async () => {
    await writeFile(join(home, 'treeline'), 'a file where the folder should be')
    const refused = openCatalog(path)
    expect(refused).toMatchObject({ ok: false, error: { code: 'io_failed', path } })
    expect(refused.ok || refused.error.message).toContain('Everything works without it')
    expect(await readFile(join(home, 'treeline'), 'utf8')).toBe('a file where the folder should be')
    expect(existsSync(path)).toBe(false)
  })
})

test('ten thousand rows are read in a moment', () => {
  const catalog = openOrThrow()
  catalog.put(Array.from({ length: 10_000 }, () => facts()))
  const startedAt = performance.now()
  expect(catalog.all().size).toBe(10_000)
  // Measured: about 20 ms. The bound leaves room for a busy machine and still tells a scan from ten thousand of them.
  expect(performance.now() - startedAt).toBeLessThan(3000)
})
