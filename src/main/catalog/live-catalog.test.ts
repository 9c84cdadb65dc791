import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SessionEvent } from '../../shared/session-event.ts'
import type { ToolError } from '../../shared/tool-error.ts'
import { newSessionId } from '../session-tree/session-id.ts'
import type { SessionFacts, SessionPlace, SessionTree } from '../session-tree/session-tree.ts'
import { openSessionTree } from '../session-tree/tree-provider.ts'
import type { SeenSession } from '../session-tree/tree-watcher-index.ts'
import { openCatalog } from './catalog.ts'
import { startCatalog, type LiveCatalog } from './live-catalog.ts'

const WORKER = new URL('./indexer-worker.ts', import.meta.url)

let home: string
let tree: SessionTree
let reads: string[]
let told: SessionFacts[]
let complaints: ToolError[]
let catalog: LiveCatalog | undefined

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'live-catalog-'))
  tree = openSessionTree(join(home, 'session-tree'))
  reads = []
  told = []
  complaints = []
})

afterEach(async () => {
  await catalog?.stop()
  await rm(home, { recursive: true, force: true })
})

/** Starts the catalog as the window does, and notes which logs are read. */
async function start(workerUrl = WORKER): Promise<LiveCatalog> {
  const started = await startUnloaded(workerUrl)
  await started.loaded
  return started
}

async function startUnloaded(workerUrl = WORKER): Promise<LiveCatalog> {
  await catalog?.stop()
  catalog = startCatalog({
    workerUrl,
    catalogPath: join(home, 'treeline', 'catalog.db'),
    tree: {
      facts(place) {
        reads.push(place.id)
        return tree.facts(place)
      },
    },
    onFacts: (facts) => told.push(facts),
    onUnavailable: (error) => complaints.push(error),
  })
  return catalog
}

/** Other programs may keep the machine busy: slow is not wrong. */
const eventually = <Value>(look: () => Value) => expect.poll(look, { timeout: 20_000 })

async function create(prompt: string): Promise<SessionPlace> {
  const made = await tree.create({ id: newSessionId(), kind: 'main', cwd: home, prompt, createdAt: 1_788_000_000_000 })
  if (!made.ok) throw new Error(made.error.message)
  return made.value
}

async function seen(place: SessionPlace): Promise<SeenSession> {
  const { size, mtimeMs, ino } = await stat(place.logPath)
  return { place, stamp: { size, mtimeMs, inode: ino } }
}

/** Appends events that say nothing of their own, until the log is this much longer. */
async function pad(place: SessionPlace, bytes: number): Promise<void> {
  let seq = await nextSeq(place)
  let text = ''
  while (text.length < bytes) {
    const event: SessionEvent = {
      type: 'todo/write',
      seq,
      time: 1_788_000_000_500,
      data: { todos: [], pad: 'x'.repeat(900) },
    }
    text += `${JSON.stringify(event)}\n`
    seq += 1
  }
  await appendFile(place.logPath, text)
}

async function nextSeq(place: SessionPlace): Promise<number> {
  return (await readFile(place.logPath, 'utf8')).split('\n').length - 2
}

const rename = async (place: SessionPlace, title: string): Promise<void> => {
  const renamed = await tree.rename(place.id, title)
  if (!renamed.ok) throw new Error(renamed.error.message)
}

test('reads each log once, also over restarts, and again only when it changed', async () => {
  const [one, two] = [await create('First'), await create('Second')]
  let now = await start()
  expect(await now.factsOf(await seen(one))).toEqual(await tree.facts(one))
  await now.factsOf(await seen(two))
  expect(reads).toEqual([one.id, two.id])

  now = await start()
  expect(await now.factsOf(await seen(one))).toEqual(await tree.facts(one))
  await rename(two, 'Renamed')
  expect((await now.factsOf(await seen(two))).title).toBe('Renamed')
  expect(reads).toEqual([one.id, two.id, two.id])
})

test('what went away is forgotten, by word and by not being seen again', async () => {
  const [one, two, three] = [await create('1'), await create('2'), await create('3')]
  let now = await start()
  for (const place of [one, two, three]) await now.factsOf(await seen(place))
  now = await start()
  await now.factsOf(await seen(three))
  now.remove([one.id])
  now.lookedAtAll()
  await now.stop()
  catalog = undefined
  const kept = openCatalog(join(home, 'treeline', 'catalog.db'))
  if (!kept.ok) throw new Error(kept.error.message)
  expect([...kept.value.all().keys()]).toEqual([three.logPath])
  kept.value.close()
})

test('what was not loaded yet is not taken for gone', async () => {
  const place = await create('Still here')
  let now = await start()
  await now.factsOf(await seen(place))
  now = await startUnloaded()
  now.lookedAtAll()
  await now.loaded
  await now.factsOf(await seen(place))
  now = await start()
  await now.factsOf(await seen(place))
  expect(reads).toEqual([place.id])
})

test('finds a title in the middle of a long log, keeps it, and does not lose it while the log grows', async () => {
  const place = await create('A long story')
  await pad(place, 200_000)
  await rename(place, 'In the middle')
  await pad(place, 200_000)
  let now = await start()
  expect((await now.factsOf(await seen(place))).title).toBeUndefined()
  await eventually(() => told.map((facts) => facts.title)).toEqual(['In the middle'])
  expect(told[0]).toMatchObject({ settled: true, firstPrompt: 'A long story', place: { id: place.id } })

  await pad(place, 1)
  expect((await now.factsOf(await seen(place))).title).toBe('In the middle')
  await eventually(() => told.length).toBe(2)
  expect(told[1]).toMatchObject({ title: 'In the middle', file: (await seen(place)).stamp })

  now = await start()
  expect(await now.factsOf(await seen(place))).toMatchObject({ title: 'In the middle', settled: true })
  await rename(place, 'At the end')
  await pad(place, 100_000)
  await now.factsOf(await seen(place))
  await eventually(() => told.at(-1)?.title).toBe('At the end')
})

test('a log that was replaced takes nothing from the one before it', async () => {
  const [place, other] = [await create('Old'), await create('New')]
  for (const [each, title] of [
    [place, 'Old title'],
    [other, 'New title'],
  ] as const) {
    await pad(each, 200_000)
    await rename(each, title)
    await pad(each, 200_000)
  }
  const now = await start()
  await now.factsOf(await seen(place))
  await eventually(() => told.length).toBe(1)
  const text = (await readFile(other.logPath, 'utf8')).replaceAll(other.id, place.id)
  await rm(place.logPath)
  await writeFile(join(home, 'keeps the inode'), '')
  await writeFile(place.logPath, text)
  await now.factsOf(await seen(place))
  await eventually(() => told.at(-1)).toMatchObject({ title: 'New title', firstPrompt: 'New' })
})

test('without a catalog everything works, and that is said once', async () => {
  const place = await create('Read me')
  await pad(place, 200_000)
  await rename(place, 'Found anyway')
  await pad(place, 200_000)
  await writeFile(join(home, 'treeline'), 'a file where the folder should be')
  const now = await start()
  expect(await now.factsOf(await seen(place))).toMatchObject({ firstPrompt: 'Read me' })
  await eventually(() => told.at(-1)?.title).toBe('Found anyway')
  expect(complaints.map((error) => error.code)).toEqual(['io_failed'])
})

test('a worker that cannot start costs the catalog only', async () => {
  const place = await create('Read me')
  const now = await start(new URL('./not-there.ts', import.meta.url))
  expect(await now.factsOf(await seen(place))).toMatchObject({ firstPrompt: 'Read me' })
  await eventually(() => complaints.length).toBe(1)
  await now.stop()
})
