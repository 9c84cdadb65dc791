import { lstat, readdir, stat } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import type { SessionId } from '../../shared/session-id.ts'
import type { ToolError } from '../../shared/tool-error.ts'
import { errorCode } from './error-code.ts'
import { folderStamp, vouches } from './folder-stamp.ts'
import { ioFailure } from './io-failure.ts'
import { childKinds, childPlace, COLLECTION, collectionDirectory, mainPlace } from './layout.ts'
import type { FileStamp, SessionFacts, SessionPlace } from './session-tree.ts'
import { isSameStamp, toStamp } from './stamped.ts'
import {
  folderFor,
  knownAt,
  newFolder,
  newSession,
  sessionNamed,
  type KnownFolder,
  type KnownSession,
} from './tree-watcher-known.ts'

/** A session as it was seen on disk: where it stands, and its log's stamp; no stamp where there is no log. */
export interface SeenSession {
  readonly place: SessionPlace
  readonly stamp?: FileStamp
  /** Where whoever looked has read the log as well. */
  readonly facts?: SessionFacts
}

/** What the index tells, one thing at a time, in the order it is found. */
export interface IndexReport {
  readonly appeared: (seen: SeenSession) => void
  readonly changed: (seen: SeenSession) => void
  readonly disappeared: (id: SessionId) => void
  /** A folder that was known is another one now: a watch on the old one hears nothing more. */
  readonly replaced: (path: string) => void
  readonly unreadable: (problem: ToolError) => void
}

/** A root of ten thousand is taken in by pieces: the window has its turn in between. */
const NAMES_AT_ONCE = 500

/** What is known of every folder and log of a tree. Stamps only: no log is opened here. */
export interface TreeIndex {
  readonly root: KnownFolder
  /** Where a reported id stands; the first place where someone copied a session. */
  readonly at: (id: SessionId) => KnownSession | undefined
  /** Lists a folder again if it changed, or in any case if `thorough`. @returns the sessions not yet looked at;
   * undefined if the folder cannot be read now: then nothing below it can, and it is not to be tried. */
  readonly lookAtFolder: (folder: KnownFolder, thorough?: boolean) => Promise<readonly KnownSession[] | undefined>
  /** Compares a session's directory and log with what is known of them. @returns false if they cannot be looked at now. */
  readonly lookAtSession: (session: KnownSession, thorough?: boolean) => Promise<boolean>
  /** What is known of a directory of a session, or of a folder of them. */
  readonly knownAt: (path: string) => KnownFolder | KnownSession | undefined
  /**
   * Takes in a session that was found by somebody else, after those above it.
   * @returns false if something else is known of it: then it is to be looked at
   */
  readonly take: (seen: SeenSession) => boolean
}

/** An index that has seen nothing yet. */
export function createTreeIndex(rootPath: string, report: IndexReport): TreeIndex {
  const byId = new Map<SessionId, Set<KnownSession>>()
  const root = newFolder(rootPath, (id) => mainPlace(rootPath, id))

  async function lookAtFolder(folder: KnownFolder, thorough = false): Promise<readonly KnownSession[] | undefined> {
    let isReadable = true
    await inTurn(folder, async () => {
      const readAt = Date.now()
      const found = await lookAt(() => stat(folder.path), folder.path)
      isReadable = found !== 'unknown'
      if (found === 'unknown') return
      if (found === 'gone' || !found.isDirectory()) {
        if (folder.seen) report.replaced(folder.path)
        folder.seen = undefined
        for (const session of folder.sessions.values()) drop(session)
        return
      }
      if (!thorough && vouches(folder.seen, found)) return
      const names = await lookAt(() => readdir(folder.path), folder.path)
      isReadable = names !== 'unknown'
      if (typeof names === 'string') return
      if (folder.seen && folder.seen.inode !== found.ino) report.replaced(folder.path)
      folder.seen = folderStamp(found, readAt)
      const present = new Set(names)
      for (const [name, session] of folder.sessions) if (!present.has(name)) drop(session)
      for (const [position, name] of names.entries()) {
        sessionNamed(folder, name)
        if (position % NAMES_AT_ONCE === NAMES_AT_ONCE - 1) await setImmediate()
      }
    })
    if (!isReadable) return undefined
    const unseen: KnownSession[] = []
    for (const session of folder.sessions.values()) if (!session.isReported) unseen.push(session)
    return unseen
  }

  async function lookAtSession(session: KnownSession, thorough = false): Promise<boolean> {
    let isReadable = true
    await inTurn(session, async () => {
      if (session.isGone) return
      const { directory, logPath } = session.place
      const readAt = Date.now()
      const [found, log] = await Promise.all([
        lookAt(() => lstat(directory), directory),
        lookAt(() => stat(logPath), logPath),
      ])
      isReadable = found !== 'unknown' && log !== 'unknown'
      if (found === 'unknown' || log === 'unknown' || session.isGone) return
      if (found === 'gone' || !found.isDirectory()) return drop(session)
      if (thorough || !vouches(session.seen, found)) {
        const names = await lookAt(() => readdir(directory), directory)
        isReadable = names !== 'unknown'
        if (typeof names === 'string' || session.isGone) return
        if (session.seen && session.seen.inode !== found.ino) report.replaced(directory)
        session.seen = folderStamp(found, readAt)
        compareCollections(session, names)
      }
      const stamp = log === 'gone' ? undefined : toStamp(log)
      compareLog(session, stamp ? { place: session.place, stamp } : { place: session.place })
    })
    return isReadable
  }

  function compareCollections(session: KnownSession, names: readonly string[]): void {
    for (const kind of childKinds(session.place.kind)) {
      const name = COLLECTION[kind]
      const known = session.collections.get(name)
      if (!known && names.includes(name)) {
        const path = collectionDirectory(session.place, kind)
        session.collections.set(
          name,
          newFolder(path, (id) => childPlace(session.place, kind, id)),
        )
      }
      if (known && !names.includes(name)) {
        session.collections.delete(name)
        for (const child of known.sessions.values()) drop(child)
      }
    }
  }

  function compareLog(session: KnownSession, seen: SeenSession): void {
    const { place, stamp: before } = session
    session.stamp = seen.stamp
    if (!session.isReported) {
      session.isReported = true
      const others = byId.get(place.id)
      byId.set(place.id, (others ?? new Set()).add(session))
      report.appeared(seen)
    } else if (!isSameStamp(before, seen.stamp)) report.changed(seen)
  }

  function drop(session: KnownSession): void {
    if (session.isGone) return
    session.isGone = true
    session.folder.sessions.delete(session.place.id)
    for (const folder of session.collections.values()) for (const child of folder.sessions.values()) drop(child)
    if (!session.isReported) return
    report.replaced(session.place.directory)
    const { id } = session.place
    const others = byId.get(id)
    others?.delete(session)
    const [other] = others ?? []
    if (!other) {
      byId.delete(id)
      report.disappeared(id)
    } else report.changed({ place: other.place, ...(other.stamp ? { stamp: other.stamp } : {}) })
  }

  /** `unknown`: there, but not to be looked at now. What was known of it stays: a disk that is away is no deletion. */
  async function lookAt<Value>(look: () => Promise<Value>, path: string): Promise<Value | 'gone' | 'unknown'> {
    try {
      return await look()
    } catch (error) {
      const code = errorCode(error)
      if (code === 'ENOENT' || code === 'ENOTDIR') return 'gone'
      report.unreadable(ioFailure(error, 'look at the session tree', path))
      return 'unknown'
    }
  }

  function take(seen: SeenSession): boolean {
    const { place } = seen
    const folder = folderFor(root, place)
    // What stood above it has gone meanwhile.
    if (!folder) return true
    const known = folder.sessions.get(place.id)
    if (known?.isReported || known?.looking) return known.isReported && isSameStamp(known.stamp, seen.stamp)
    const session = known ?? newSession(place, folder)
    folder.sessions.set(place.id, session)
    compareLog(session, seen)
    return true
  }

  const at = (id: SessionId): KnownSession | undefined => byId.get(id)?.values().next().value
  return { root, at, knownAt: (path) => knownAt(root, path), take, lookAtFolder, lookAtSession }
}

/** One look after the other at the same thing, so that an older answer never overwrites a younger one. */
function inTurn(item: { looking: Promise<void> | undefined }, look: () => Promise<void>): Promise<void> {
  const turn = item.looking ? item.looking.then(look) : look()
  const settled = turn.finally(() => {
    if (item.looking === settled) item.looking = undefined
  })
  item.looking = settled
  return settled
}
