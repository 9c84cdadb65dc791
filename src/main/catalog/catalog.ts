import { statSync } from 'node:fs'
import type { SessionId } from '../../shared/session-id.ts'
import { ok, type Result } from '../../shared/result.ts'
import type { FileStamp, SessionFacts, SessionPlace } from '../session-tree/session-tree.ts'
import { isSameStamp, toStamp } from '../session-tree/stamped.ts'
import { dropDatabase, isDamage, openDatabase, type Connection } from './database.ts'

/** What is kept of one log: its facts, and what the log was when they were read. */
export interface KeptFacts {
  readonly stamp: FileStamp
  /** JSON of the facts without place and stamp. Parsed by {@link keptFactsOf}, only for those that are needed. */
  readonly facts: string
}

/**
 * The derived database (design §2.1): facts of logs by the log's path. What it answers holds only while the log's
 * stamp is the kept one; the disk is asked for that, every time. Synchronous: for a worker thread, or for a measurement.
 */
export interface Catalog {
  /** Everything that is kept, by log path. */
  readonly all: () => Map<string, KeptFacts>
  readonly get: (logPath: string) => KeptFacts | undefined
  /** Keeps facts in place of older ones of the same log. Facts without a stamp (no log there) are not kept. */
  readonly put: (batch: readonly SessionFacts[]) => void
  /** Forgets sessions, wherever they stood. */
  readonly remove: (ids: readonly SessionId[]) => void
  /** Forgets logs by path. */
  readonly removeLogs: (logPaths: readonly string[]) => void
  readonly close: () => void
}

interface Row {
  readonly path: string
  readonly size: number
  readonly mtime: number
  readonly inode: number
  readonly facts: string
}

/**
 * Opens the catalog at `path`; see `openDatabase`. A file that turns out to be damaged later on is dropped and begun
 * anew: it is derived.
 */
export function openCatalog(path: string, resources?: string): Result<Catalog> {
  const opened = openDatabase(path, resources)
  if (!opened.ok) return opened
  let statements = prepare(opened.value)

  function sound<Value>(use: (now: Statements) => Value, empty: Value): Value {
    try {
      return use(statements)
    } catch (error) {
      if (!isDamage(error)) throw error
      statements.database.close()
      dropDatabase(path)
      const renewed = openDatabase(path, resources)
      if (!renewed.ok) throw new Error(renewed.error.message, { cause: error })
      statements = prepare(renewed.value)
      return empty
    }
  }

  return ok({
    all: () =>
      sound((now) => {
        const kept = new Map<string, KeptFacts>()
        // All at once: stepping row by row takes twice as long.
        for (const row of now.all.all()) kept.set(row.path, toKept(row))
        return kept
      }, new Map()),
    get: (logPath) =>
      sound((now) => {
        const row = now.get.get(logPath)
        return row && toKept(row)
      }, undefined),
    put: (batch) =>
      sound((now) => {
        now.inOne(() => {
          for (const { place, file, ...facts } of batch) {
            if (!file) continue
            now.put.run(place.logPath, place.id, file.size, file.mtimeMs, file.inode, JSON.stringify(facts))
          }
        })
      }, undefined),
    remove: (ids) =>
      sound((now) => {
        now.inOne(() => {
          for (const id of ids) now.remove.run(id)
        })
      }, undefined),
    removeLogs: (logPaths) =>
      sound((now) => {
        now.inOne(() => {
          for (const logPath of logPaths) now.removeLog.run(logPath)
        })
      }, undefined),
    close() {
      statements.database.pragma('optimize')
      statements.database.close()
    },
  })
}

type Statements = ReturnType<typeof prepare>

function prepare(database: Connection) {
  return {
    database,
    all: database.prepare<[], Row>('SELECT path, size, mtime, inode, facts FROM log'),
    get: database.prepare<[string], Row>('SELECT path, size, mtime, inode, facts FROM log WHERE path = ?'),
    put: database.prepare<[string, string, number, number, number, string]>(
      'INSERT OR REPLACE INTO log (path, id, size, mtime, inode, facts) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    remove: database.prepare<[string]>('DELETE FROM log WHERE id = ?'),
    removeLog: database.prepare<[string]>('DELETE FROM log WHERE path = ?'),
    inOne: (work: () => void) => database.transaction(work)(),
  }
}

function toKept({ size, mtime, inode, facts }: Row): KeptFacts {
  return { stamp: { size, mtimeMs: mtime, inode }, facts }
}

/**
 * The kept facts of the session at `place`, if the log is still what it was.
 * @returns undefined if there are none that hold.
 */
export function keptFactsOf(
  place: SessionPlace,
  stamp: FileStamp | undefined,
  kept: KeptFacts | undefined,
): SessionFacts | undefined {
  if (!stamp || !kept || !isSameStamp(stamp, kept.stamp)) return undefined
  return parseFacts(kept, place)
}

/** The facts as they were kept, whatever the log is now. */
export function parseFacts(kept: KeptFacts, place: SessionPlace): SessionFacts {
  // Written by `put` of this very schema version, and SQLite checks its pages.
  const facts: Omit<SessionFacts, 'place' | 'file'> = JSON.parse(kept.facts)
  return Object.assign(facts, { place, file: kept.stamp })
}

/**
 * How a scan has the facts of a session: the kept ones while the log is what it was, else what the log says. Blocks.
 * @param kept by log path, as {@link Catalog.all} gives it
 */
export function keptOrRead(
  kept: ReadonlyMap<string, KeptFacts>,
  read: (place: SessionPlace) => SessionFacts,
): (place: SessionPlace) => SessionFacts {
  return (place) => {
    const row = kept.get(place.logPath)
    const stamp = row && stampOf(place.logPath)
    return keptFactsOf(place, stamp, row) ?? read(place)
  }
}

/** Undefined if there is no log, or none that can be asked about: reading it says why. */
function stampOf(path: string): FileStamp | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats && toStamp(stats)
  } catch {
    return undefined
  }
}
