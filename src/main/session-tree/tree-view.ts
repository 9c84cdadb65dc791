import type { SessionTreeView } from '../../shared/tools.ts'
import { parentOf, rootOf } from './layout.ts'
import type { SessionPlace } from './session-tree.ts'
import type { TreeReading } from './tree-reading.ts'

/**
 * The nested view of a session and everything below it (spec §3.4). An odd session stays in its folder's collection: kind
 * from the folder, id from the directory, status `failed`; what is below it is there all the same (design §4).
 */
export async function viewBelow(place: SessionPlace, reading: TreeReading): Promise<SessionTreeView> {
  const below = async (): Promise<readonly SessionTreeView[]> => {
    const places = await reading.children(place)
    return Promise.all(places.map((child) => viewBelow(child, reading)))
  }
  const [facts, children] = await Promise.all([reading.facts(place), below()])
  const sorted = children.toSorted(byCreation)
  const { header } = facts
  const parent = parentOf(place)
  return {
    session_id: place.id,
    root_session_id: rootOf(place),
    ...(parent === undefined ? {} : { parent_session_id: parent }),
    kind: place.kind,
    ...(facts.title === undefined ? {} : { title: facts.title }),
    status: facts.status,
    ...(header ? { created_at: isoTime(header.createdAt) } : {}),
    ...(facts.updatedAt === undefined ? {} : { updated_at: isoTime(facts.updatedAt) }),
    ...(header?.cwd === undefined ? {} : { cwd: header.cwd }),
    ...(header?.worktree ? { worktree: header.worktree.path } : {}),
    session_path: place.logPath,
    forks: sorted.filter((child) => child.kind === 'fork'),
    subagents: sorted.filter((child) => child.kind === 'subagent'),
  }
}

/** Equal and absent times do not dance: the id is the second key (field fault F26). */
function byCreation(left: SessionTreeView, right: SessionTreeView): number {
  const one = Date.parse(left.created_at ?? EPOCH)
  const other = Date.parse(right.created_at ?? EPOCH)
  if (one !== other) return one - other
  return left.session_id < right.session_id ? -1 : 1
}

const EPOCH = new Date(0).toISOString()

/** Times beyond what a Date can hold are shown as its last moment: an odd clock must not take a tree down. */
function isoTime(milliseconds: number): string {
  const furthest = 8.64e15
  return new Date(Math.min(Math.max(milliseconds, -furthest), furthest)).toISOString()
}
