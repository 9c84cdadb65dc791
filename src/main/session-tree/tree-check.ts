import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parseSessionId, type SessionId } from '../../shared/session-id.ts'
import type { ErrorCode } from '../../shared/tool-error.ts'
import { errorCode } from './error-code.ts'
import { ioFailure } from './io-failure.ts'
import { childKinds, childPlace, COLLECTION, mainPlace, UNPUBLISHED_PREFIX } from './layout.ts'
import type { SessionPlace } from './session-tree.ts'
import { checkLog, type LogCheck } from './tree-check-log.ts'

/** What is the matter: an error as any reader of that log would get it, or something only a check notices. */
type FindingCode = ErrorCode | 'open_turn' | 'stray' | 'unpublished' | 'misplaced_forks' | 'duplicate_session'

export interface Finding {
  /** Absent where what was found belongs to no session. */
  readonly session_id?: SessionId
  readonly path: string
  readonly code: FindingCode
  /** Whole sentences: what is there, and what to do. */
  readonly message: string
  /** A note is no fault: the session is sound and can be used. */
  readonly severity: 'fault' | 'note'
}

/** Logs at once: reading is the disk's work and parsing ours. */
const LOGS_AT_ONCE = 4
/** A creation under way is no leftover; one that has not been touched for this long is. */
const CREATION_MS = 60_000
/** File managers put these anywhere. */
const OF_THE_SYSTEM: ReadonlySet<string> = new Set(['.DS_Store', 'Thumbs.db', 'desktop.ini', '.directory'])

/**
 * Verifies every session of the tree at `root`: layout, header and whole log, strictly, and that nothing else lies in the
 * tree. Yields findings as it goes, memory does not grow with the logs. Looks only: nothing is written or repaired.
 * A root that is not there holds nothing.
 * @param signal ends the check early, without an error.
 */
export async function* checkTree(root: string, signal?: AbortSignal): AsyncGenerator<Finding> {
  const seen = new Map<SessionId, string>()
  let waiting: Promise<Finding[]>[] = []
  for await (const item of walk(root)) {
    if (signal?.aborted) return
    if ('code' in item) {
      yield item
      continue
    }
    const before = seen.get(item.id)
    if (before === undefined) seen.set(item.id, item.directory)
    else yield duplicate(item, before)
    waiting.push(checkLog(item).then((check) => findingsOf(item, check)))
    if (waiting.length < LOGS_AT_ONCE) continue
    yield* (await Promise.all(waiting)).flat()
    waiting = []
  }
  yield* (await Promise.all(waiting)).flat()
}

function findingsOf(place: SessionPlace, { fault, openTurn, cutTail }: LogCheck): Finding[] {
  const about = { session_id: place.id, path: place.logPath }
  const findings: Finding[] = []
  if (fault) findings.push({ ...about, code: fault.code, message: fault.message, severity: 'fault' })
  if (openTurn) {
    const message = `${place.logPath} ends inside a turn: an agent is at work, or was interrupted. Nothing needs to be done.`
    findings.push({ ...about, code: 'open_turn', message, severity: 'note' })
  }
  if (cutTail) {
    const message = `The last line of ${place.logPath} is not finished: it is being written, or its writer was interrupted. The next write mends it.`
    findings.push({ ...about, code: 'log_cut', message, severity: 'note' })
  }
  return findings
}

function duplicate(place: SessionPlace, before: string): Finding {
  const message = `The session ${place.id} is there twice: ${before} and ${place.directory}. Move one of them out of the tree.`
  return { session_id: place.id, path: place.directory, code: 'duplicate_session', message, severity: 'fault' }
}

/** Every session's place, parents before children, and what is in the tree beside them. */
async function* walk(root: string): AsyncGenerator<SessionPlace | Finding> {
  yield* walkFolder(root, (id) => mainPlace(root, id))
}

async function* walkFolder(
  folder: string,
  placeOf: (id: SessionId) => SessionPlace,
): AsyncGenerator<SessionPlace | Finding> {
  for (const entry of yield* entriesOf(folder)) {
    const id = parseSessionId(entry.name)
    if (id.ok && entry.isDirectory()) yield* walkSession(placeOf(id.value))
    else
      yield* strange(join(folder, entry.name), id.ok ? 'is no folder, but has the name of a session' : 'is no session')
  }
}

async function* walkSession(place: SessionPlace): AsyncGenerator<SessionPlace | Finding> {
  yield place
  const kinds = childKinds(place.kind)
  for (const { name } of yield* entriesOf(place.directory)) {
    if (name === basename(place.logPath)) continue
    const kind = kinds.find((each) => COLLECTION[each] === name)
    const path = join(place.directory, name)
    if (kind) yield* walkFolder(path, (id) => childPlace(place, kind, id))
    else if (name === COLLECTION.fork) yield misplacedForks(place, path)
    else yield* strange(path, 'does not belong in the folder of a session', place.id)
  }
}

async function* entriesOf(folder: string) {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  } catch (error) {
    // Removed since it was listed, or a tree that has no session yet.
    if (errorCode(error) === 'ENOENT') return []
    const { code, message } = ioFailure(error, 'look into the folder', folder)
    const finding: Finding = { path: folder, code, message, severity: 'fault' }
    yield finding
    return []
  }
}

async function* strange(path: string, why: string, session?: SessionId): AsyncGenerator<Finding> {
  const name = basename(path)
  if (OF_THE_SYSTEM.has(name)) return
  const about = { path, severity: 'fault', ...(session === undefined ? {} : { session_id: session }) } as const
  if (!name.startsWith(UNPUBLISHED_PREFIX)) {
    yield { ...about, code: 'stray', message: `${path} ${why}. Move it out of the tree.` }
    return
  }
  const touched = await stat(path).catch(() => undefined)
  if (!touched || Date.now() - touched.mtimeMs < CREATION_MS) return
  const message = `${path} was left by a creation that was interrupted. The next start of Treeline in this home removes it.`
  yield { ...about, code: 'unpublished', message }
}

function misplacedForks(place: SessionPlace, path: string): Finding {
  const message = `${path} holds forks below a ${place.kind}, but only a main can be forked: they are not shown. Move them into the folder of its main, or out of the tree.`
  return { session_id: place.id, path, code: 'misplaced_forks', message, severity: 'fault' }
}
