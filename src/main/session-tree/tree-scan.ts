import { lstatSync, readdirSync, statSync, type Dirent, type Stats } from 'node:fs'
import { parseSessionId, type SessionId } from '../../shared/session-id.ts'
import type { ToolError } from '../../shared/tool-error.ts'
import { errorCode } from './error-code.ts'
import { readFactsBlocking } from './facts-blocking.ts'
import { folderStamp, vouches, type FolderStamp } from './folder-stamp.ts'
import { ioFailure } from './io-failure.ts'
import { childKinds, childPlace, collectionDirectory, mainPlace, type ChildKind } from './layout.ts'
import { diskThatCounts, LINKS_OF_A_LEAF } from './link-count.ts'
import type { FileStamp, SessionFacts, SessionPlace } from './session-tree.ts'
import { isSameStamp, toStamp } from './stamped.ts'
import type { SeenSession } from './tree-watcher-index.ts'

/** What a scan tells, parents before their children. */
export interface ScanReport {
  /** A session that was not told before, with its facts. */
  readonly found: (session: FoundSession) => void
  /** A session's directory, or a folder of sessions, that is not what it was: somebody has to look at it. */
  readonly differs: (path: string) => void
  /** It is there, but cannot be looked at now; what was known of it stays. */
  readonly unreadable: (problem: ToolError) => void
}

/** A session as it was found, and its facts. */
export interface FoundSession extends SeenSession {
  readonly facts: SessionFacts
}

/**
 * Looks at a whole tree again and again, with calls that block: for a thread of its own, and for the command line, where
 * nobody waits beside. That costs a fraction of the same calls over the thread pool. A session that is what it was costs two
 * stats, and is not told again.
 */
export interface TreeScan {
  /**
   * One look at everything, one main with all below it at each step, the youngest ids first.
   * @param thorough no folder's time of change is believed
   */
  readonly look: (thorough: boolean) => Generator<void, void, void>
  /** Forgets these directories of sessions and folders of them, and what is below: if there, they are found anew. */
  readonly forget: (paths: readonly string[]) => void
}

interface ScannedFolder {
  readonly path: string
  readonly placeOf: (id: SessionId) => SessionPlace
  sessions: Map<string, ScannedSession>
  seen: FolderStamp | undefined
}

interface ScannedSession {
  readonly place: SessionPlace
  /** Those of its collections that are there. */
  collections: readonly ScannedFolder[]
  seen: FolderStamp | undefined
  stamp: FileStamp | undefined
  isTold: boolean
}

/**
 * A scan that has seen nothing yet.
 * @param factsOf the facts of a session that is told; its log is read if nothing better is known
 */
export function createTreeScan(
  rootPath: string,
  report: ScanReport,
  factsOf: (place: SessionPlace) => SessionFacts = readFactsBlocking,
): TreeScan {
  const root = newFolder(rootPath, (id) => mainPlace(rootPath, id))
  let countingDisk: number | undefined

  /** @returns false if the folder cannot be read now: then nothing below it can, and it is not to be tried. */
  function lookAtFolder(folder: ScannedFolder, thorough: boolean): boolean {
    const readAt = Date.now()
    const found = attempt(folder.path, () => statSync(folder.path))
    if (found === 'unknown') return false
    if (found === 'gone' || !found.isDirectory()) {
      if (folder.seen) report.differs(folder.path)
      folder.seen = undefined
      folder.sessions.clear()
      return true
    }
    if (!thorough && vouches(folder.seen, found)) return true
    const entries = attempt(folder.path, () => readdirSync(folder.path, { withFileTypes: true }))
    if (typeof entries === 'string') return entries === 'gone'
    const isReplaced = folder.seen !== undefined && folder.seen.inode !== found.ino
    folder.seen = folderStamp(found, readAt)
    if (takeEntries(folder, entries) || isReplaced) report.differs(folder.path)
    return true
  }

  /** @returns true if a session is no longer there. */
  function takeEntries(folder: ScannedFolder, entries: readonly Dirent[]): boolean {
    const before = folder.sessions
    const now: ScannedSession[] = []
    for (const entry of entries) {
      const known = before.get(entry.name)
      if (known) before.delete(entry.name)
      if (!entry.isDirectory()) {
        // Another thing has taken its name: a listing of names does not show that.
        if (known) report.differs(known.place.directory)
        continue
      }
      const id = known ? undefined : parseSessionId(entry.name)
      if (known) now.push(known)
      else if (id?.ok) now.push(newSession(folder.placeOf(id.value)))
    }
    now.sort((one, other) => (one.place.id < other.place.id ? 1 : -1))
    const isLess = before.size > 0
    folder.sessions = new Map(now.map((session) => [session.place.id, session]))
    return isLess
  }

  function lookAtSession(session: ScannedSession, thorough: boolean): void {
    const { directory } = session.place
    const readAt = Date.now()
    const found = attempt(directory, () => lstatSync(directory))
    if (found === 'unknown') return
    if (found === 'gone' || !found.isDirectory()) {
      if (session.isTold) report.differs(directory)
      return
    }
    const look = session.isTold ? compareLog(session) : tell(session)
    if (look === 'unknown') return
    let isOther = look === 'other'
    if (thorough || !vouches(session.seen, found)) {
      const isReplaced = session.seen !== undefined && session.seen.inode !== found.ino
      if (isReplaced || hasLessCollections(session, found)) isOther = true
      session.seen = folderStamp(found, readAt)
    }
    if (isOther) report.differs(directory)
    for (const folder of session.collections) lookAtChildren(folder, thorough)
  }

  function lookAtChildren(folder: ScannedFolder, thorough: boolean): void {
    if (!lookAtFolder(folder, thorough)) return
    for (const session of folder.sessions.values()) lookAtSession(session, thorough)
  }

  function tell(session: ScannedSession): 'told' | 'unknown' {
    const { place } = session
    const facts = factsOf(place)
    let stamp = facts.file
    // A log that may not be read can have a stamp all the same.
    if (!stamp && facts.status !== 'missing') {
      const log = attempt(place.logPath, () => statSync(place.logPath))
      if (log === 'unknown') return 'unknown'
      stamp = log === 'gone' ? undefined : toStamp(log)
    }
    session.stamp = stamp
    session.isTold = true
    report.found(stamp ? { place, stamp, facts } : { place, facts })
    return 'told'
  }

  function compareLog(session: ScannedSession): 'same' | 'other' | 'unknown' {
    const { logPath } = session.place
    const log = attempt(logPath, () => statSync(logPath))
    if (log === 'unknown') return 'unknown'
    const stamp = log === 'gone' ? undefined : toStamp(log)
    if (isSameStamp(session.stamp, stamp)) return 'same'
    session.stamp = stamp
    return 'other'
  }

  /** Finds a session's collections. @returns true if one that was there is not there any more. */
  function hasLessCollections(session: ScannedSession, directory: Stats): boolean {
    const before = session.collections
    const isLeaf = directory.dev === countingDisk && directory.nlink === LINKS_OF_A_LEAF
    session.collections = isLeaf ? [] : childKinds(session.place.kind).flatMap((kind) => collection(session, kind))
    return before.some((folder) => !session.collections.includes(folder))
  }

  /** Asked for by name: listing the directory would take three times as long. */
  function collection(session: ScannedSession, kind: ChildKind): ScannedFolder[] {
    const path = collectionDirectory(session.place, kind)
    const known = session.collections.find((folder) => folder.path === path)
    const found = attempt(path, () => statSync(path, { throwIfNoEntry: false }))
    if (found === 'unknown' && known) return [known]
    if (typeof found !== 'object' || !found.isDirectory()) return []
    return [known ?? newFolder(path, (id) => childPlace(session.place, kind, id))]
  }

  function attempt<Value>(path: string, look: () => Value): Value | 'gone' | 'unknown' {
    try {
      return look()
    } catch (error) {
      const code = errorCode(error)
      if (code === 'ENOENT' || code === 'ENOTDIR') return 'gone'
      report.unreadable(ioFailure(error, 'look at the session tree', path))
      return 'unknown'
    }
  }

  return {
    *look(thorough) {
      countingDisk = diskThatCounts(rootPath)
      if (!lookAtFolder(root, thorough)) return
      for (const session of root.sessions.values()) {
        lookAtSession(session, thorough)
        yield
      }
    },
    forget(paths) {
      if (paths.length > 0) forgetIn(root, new Set(paths))
    },
  }
}

function forgetIn(folder: ScannedFolder, paths: ReadonlySet<string>): void {
  const before = folder.sessions.size
  if (paths.has(folder.path)) folder.sessions.clear()
  for (const [name, session] of folder.sessions) {
    if (paths.has(session.place.directory)) folder.sessions.delete(name)
    else for (const below of session.collections) forgetIn(below, paths)
  }
  // What was forgotten is found by listing it again: the folder vouches no more.
  if (folder.seen && folder.sessions.size < before) folder.seen = { ...folder.seen, readAt: 0 }
}

function newFolder(path: string, placeOf: ScannedFolder['placeOf']): ScannedFolder {
  return { path, placeOf, sessions: new Map(), seen: undefined }
}

function newSession(place: SessionPlace): ScannedSession {
  return { place, collections: [], seen: undefined, stamp: undefined, isTold: false }
}
