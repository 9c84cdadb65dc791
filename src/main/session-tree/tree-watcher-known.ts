import { dirname, sep } from 'node:path'
import { parseSessionId, type SessionId } from '../../shared/session-id.ts'
import type { FolderStamp } from './folder-stamp.ts'
import { childPlace, COLLECTION } from './layout.ts'
import type { FileStamp, SessionPlace } from './session-tree.ts'

/** A folder of sessions: the root, a `forks` or a `subagents`. */
export interface KnownFolder {
  readonly path: string
  readonly placeOf: (id: SessionId) => SessionPlace
  readonly sessions: Map<string, KnownSession>
  seen: FolderStamp | undefined
  looking: Promise<void> | undefined
}

export interface KnownSession {
  readonly place: SessionPlace
  readonly folder: KnownFolder
  readonly collections: Map<string, KnownFolder>
  seen: FolderStamp | undefined
  stamp: FileStamp | undefined
  isReported: boolean
  isGone: boolean
  looking: Promise<void> | undefined
}

/** The session that stands, or may stand, under this name in a folder; undefined if the name is no id. */
export function sessionNamed(folder: KnownFolder, name: string): KnownSession | undefined {
  const known = folder.sessions.get(name)
  if (known) return known
  const id = parseSessionId(name)
  if (!id.ok) return undefined
  const session = newSession(folder.placeOf(id.value), folder)
  folder.sessions.set(name, session)
  return session
}

/** A folder that was not looked at yet. */
export function newFolder(path: string, placeOf: KnownFolder['placeOf']): KnownFolder {
  return { path, placeOf, sessions: new Map(), seen: undefined, looking: undefined }
}

/** A session that was not looked at yet. */
export function newSession(place: SessionPlace, folder: KnownFolder): KnownSession {
  return {
    place,
    folder,
    collections: new Map(),
    seen: undefined,
    stamp: undefined,
    isReported: false,
    isGone: false,
    looking: undefined,
  }
}

/** What is known of a directory of a session or of a folder of sessions, below `root` or itself. */
export function knownAt(root: KnownFolder, path: string): KnownFolder | KnownSession | undefined {
  if (path === root.path) return root
  const names = path.slice(root.path.length + sep.length).split(sep)
  return names.reduce<KnownFolder | KnownSession | undefined>((above, name) => above && namedIn(above, name), root)
}

function namedIn(above: KnownFolder | KnownSession, name: string): KnownFolder | KnownSession | undefined {
  return 'place' in above ? above.collections.get(name) : above.sessions.get(name)
}

/** The folder this place is in, made where the session above is known; undefined if that is not. */
export function folderFor(root: KnownFolder, { kind, directory }: SessionPlace): KnownFolder | undefined {
  if (kind === 'main') return root
  const path = dirname(directory)
  const parent = knownAt(root, dirname(path))
  if (!parent || !('place' in parent)) return undefined
  const known = parent.collections.get(COLLECTION[kind])
  if (known) return known
  const folder = newFolder(path, (id) => childPlace(parent.place, kind, id))
  parent.collections.set(COLLECTION[kind], folder)
  return folder
}
