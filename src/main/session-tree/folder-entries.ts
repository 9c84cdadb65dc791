import type { Dirent } from 'node:fs'
import { parseSessionId, type SessionId } from '../../shared/session-id.ts'
import { childPlace, mainPlace, type ChildKind } from './layout.ts'
import type { SessionPlace } from './session-tree.ts'

/** The places of the mains among a root's entries, by id. */
export function mainsIn(root: string, entries: readonly Dirent[]): SessionPlace[] {
  return placesIn(entries, (id) => mainPlace(root, id))
}

/** The places of the children among a collection's entries, by id. */
export function childrenIn(parent: SessionPlace, kind: ChildKind, entries: readonly Dirent[]): SessionPlace[] {
  return placesIn(entries, (id) => childPlace(parent, kind, id))
}

function placesIn(entries: readonly Dirent[], place: (id: SessionId) => SessionPlace): SessionPlace[] {
  const places: SessionPlace[] = []
  for (const entry of entries) {
    if (!entry.isDirectory()) continue
    const id = parseSessionId(entry.name)
    if (id.ok) places.push(place(id.value))
  }
  return places.toSorted((left, right) => (left.id < right.id ? -1 : 1))
}
