import { appendFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ImportReport } from '../../../shared/bridge.ts'
import type { SessionEvent } from '../../../shared/session-event.ts'
import { parseSessionId, type SessionId } from '../../../shared/session-id.ts'
import type { SessionPlace, SessionTree } from '../../session-tree/session-tree.ts'
import { checkTree } from '../../session-tree/tree-check.ts'
import { openSessionTree } from '../../session-tree/tree-provider.ts'
import { importDsh } from '../dsh-import.ts'
import type { ImportOptions } from '../import-sessions.ts'
import { conversation, inBatches } from './conversation.ts'
import { openDshStore, type DshHeaderFields, type DshStore } from './dsh-store.ts'

export const MAIN = 'session-0f010000-0000-4000-8000-000000000001'
export const FORK = 'session-0f010000-0000-4000-8000-000000000002'
export const SUBAGENT = '0f010000-0000-4000-8000-000000000003'
export const NESTED = '0f010000-0000-4000-8000-000000000004'

const CREATED = 1_788_000_000_000
const CWD = '/workspace/demo'

/** A report in which nothing happened. */
export const NOTHING: ImportReport = {
  found: 0,
  imported: 0,
  extended: 0,
  unchanged: 0,
  diverged: [],
  failed: [],
  legacyRoots: [],
  cancelled: false,
}

/** A home in a temporary folder, with a tree to import into and a place for DSH's own logs. */
export interface ImportRoom {
  readonly home: string
  readonly root: string
  readonly source: string
  readonly tree: SessionTree
  /** Imports from `source`; throws where the import as a whole fails. */
  run(options?: Partial<ImportOptions>): Promise<ImportReport>
  /** DSH's own backend on `source` or another folder. */
  store(compression?: 'none' | 'zstd', folder?: string): Promise<DshStore>
  /** Writes a log by hand, record for record, in DSH's layout. */
  putLog(project: string, id: string, records: readonly object[]): Promise<string>
  /** Each session of the tree with its kind and, from the main down, those above it. */
  kinds(): Promise<Readonly<Record<string, string>>>
  placeOf(id: string): Promise<SessionPlace>
  headerOf(id: string): Promise<Record<string, unknown>>
  eventsOf(id: string): Promise<readonly SessionEvent[]>
  /** What a check of the tree has against it: faults, no notes. */
  faults(): Promise<readonly string[]>
  remove(): Promise<void>
}

export async function openImportRoom(): Promise<ImportRoom> {
  const home = await mkdtemp(join(tmpdir(), 'dsh-import-'))
  const root = join(home, 'session-tree')
  const source = join(home, 'sessions')
  const tree = openSessionTree(root)

  async function placeOf(id: string): Promise<SessionPlace> {
    const place = await tree.locate(sessionId(id))
    if (!place.ok) throw new Error(place.error.message)
    return place.value
  }

  return {
    home,
    root,
    source,
    tree,
    placeOf,
    async run(options = {}) {
      const report = await importDsh({ tree, folders: [source], ...options })
      if (!report.ok) throw new Error(report.error.message)
      return report.value
    },
    store: (compression = 'zstd', folder = source) => openDshStore(folder, { compression, packChunks: true }),
    async putLog(project, id, records) {
      const path = join(source, project, id, 'session.jsonl')
      await mkdir(dirname(path), { recursive: true })
      await rm(path, { force: true })
      await appendFile(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
      return path
    },
    async kinds() {
      const all: Record<string, string> = {}
      for await (const place of tree.places()) all[place.id] = [place.kind, ...place.ancestors].join(' < ')
      return all
    },
    async headerOf(id) {
      const { logPath } = await placeOf(id)
      return JSON.parse((await readFile(logPath, 'utf8')).split('\n')[0] ?? '')
    },
    async eventsOf(id) {
      const loaded = await tree.load(sessionId(id))
      if (!loaded.ok) throw new Error(loaded.error.message)
      const events: SessionEvent[] = []
      for await (const event of loaded.value.events) {
        if (!event.ok) throw new Error(event.error.message)
        events.push(event.value)
      }
      return events
    },
    async faults() {
      const all: string[] = []
      for await (const finding of checkTree(root)) if (finding.severity === 'fault') all.push(finding.message)
      return all
    },
    remove: () => rm(home, { recursive: true, force: true }),
  }
}

export function sessionId(text: string): SessionId {
  const id = parseSessionId(text)
  if (!id.ok) throw new Error(id.error.message)
  return id.value
}

/** The header line of a main. */
export function mainHeader(id: string): object {
  return { type: 'session', version: 0, id, createdAt: CREATED, cwd: CWD, delegationDepth: 0 }
}

/** Lets DSH write one session. */
export async function writeSession(
  into: DshStore,
  id: string,
  header: Partial<DshHeaderFields> = {},
  events: readonly SessionEvent[] = conversation(1, id),
): Promise<void> {
  await into.write({ id, createdAt: CREATED, cwd: CWD, ...header }, inBatches(events, 30))
}

/** A main with a fork, a subagent and a subagent of that, children first. */
export async function writeFamily(into: DshStore): Promise<void> {
  const events = conversation(2)
  const seedLength = events.findIndex((event) => event.type === 'turn/end') + 1
  await writeSession(into, NESTED, { parentSession: SUBAGENT, origin: 'subagent', delegationDepth: 2 })
  await writeSession(into, SUBAGENT, { parentSession: MAIN, origin: 'subagent', delegationDepth: 1 })
  await writeSession(into, FORK, { parentSession: MAIN, seedLength }, events)
  await writeSession(into, MAIN, {}, events)
}
