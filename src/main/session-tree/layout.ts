import { isAbsolute, relative, sep } from 'node:path'
import { fail, ok, type Result } from '../../shared/result.ts'
import { parseSessionId, type SessionId } from '../../shared/session-id.ts'
import { toolError } from '../../shared/tool-error.ts'
import type { SessionKind } from '../../shared/tools.ts'
import type { SessionPlace } from './session-tree.ts'

/** The one name a log has (spec §4). */
const LOG_NAME = 'session.jsonl'

/** The folder each kind of child stands in, below its parent. */
export const COLLECTION = { fork: 'forks', subagent: 'subagents' } as const

/** A temporary directory of a creation that is not published: readers pass it over, the next owner removes it. */
export const UNPUBLISHED_PREFIX = '.new-'

/** The kinds of session that stand below another. */
export type ChildKind = Exclude<SessionKind, 'main'>

/** The place of a main: `<root>/<id>`. */
export function mainPlace(root: string, id: SessionId): SessionPlace {
  return placeAt(root, id, 'main', [])
}

/** The folder that holds a session's forks or subagents. It need not exist. */
export function collectionDirectory(parent: SessionPlace, kind: ChildKind): string {
  return parent.directory + sep + COLLECTION[kind]
}

/** The kinds of children a session of this kind may hold: only a main holds forks (spec §4). */
export function childKinds(kind: SessionKind): readonly ChildKind[] {
  return kind === 'main' ? ['fork', 'subagent'] : ['subagent']
}

/** The place of a child. The caller has made sure that `parent` may hold this kind ({@link childKinds}). */
export function childPlace(parent: SessionPlace, kind: ChildKind, id: SessionId): SessionPlace {
  return placeAt(collectionDirectory(parent, kind), id, kind, [...parent.ancestors, parent.id])
}

/** Ids are safe segments, so the paths need no normalizing: with ten thousand sessions that shows. */
function placeAt(folder: string, id: SessionId, kind: SessionKind, ancestors: readonly SessionId[]): SessionPlace {
  const directory = folder + sep + id
  return { id, kind, directory, logPath: directory + sep + LOG_NAME, ancestors }
}

/** The direct parent's id; absent for a main. */
export function parentOf(place: SessionPlace): SessionId | undefined {
  return place.ancestors.at(-1)
}

/** The id of the main at the top: the session's own for a main. */
export function rootOf(place: SessionPlace): SessionId {
  return place.ancestors[0] ?? place.id
}

/**
 * Reads kind and lineage from a path alone: a session's directory or its log, absolute, below `root`.
 * @returns the place, or `layout_mismatch` if the path is no place a session can have.
 */
export function placeFromPath(root: string, path: string): Result<SessionPlace> {
  const misplaced = (why: string) =>
    fail(toolError('layout_mismatch', `${path} is no place for a session: ${why}.`, { path }))
  const below = relative(root, path)
  if (below === '' || isAbsolute(below) || below.startsWith('..')) return misplaced(`it is not below ${root}`)
  const names = below.split(sep)
  if (names.at(-1) === LOG_NAME) names.pop()
  const main = parseSessionId(names[0])
  if (!main.ok) return misplaced(`"${names[0]}" is not a session id`)
  let place = mainPlace(root, main.value)
  for (let index = 1; index < names.length; index += 2) {
    const kind = childKinds(place.kind).find((each) => COLLECTION[each] === names[index])
    if (!kind) return misplaced(`a ${place.kind} holds no folder "${names[index]}" of sessions`)
    const id = parseSessionId(names[index + 1])
    if (!id.ok) return misplaced(`"${names[index + 1] ?? ''}" is not a session id`)
    place = childPlace(place, kind, id.value)
  }
  return ok(place)
}
