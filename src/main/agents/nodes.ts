import { ok, type Result } from '../../shared/result.ts'
import type { SessionId } from '../../shared/session-id.ts'
import type { SessionPlace, SessionTree } from '../session-tree/session-tree.ts'
import { childPlaces } from '../session-tree/tree-reading.ts'
import type { EndReason } from './own-events.ts'
import type { SessionReader } from './session-reader.ts'

/** A session as Voss's session tree has it (voss-session-tree.md). Times are ISO 8601 in UTC. */
export interface SessionTreeNode {
  readonly id: string
  readonly root_id: string
  readonly parent_run_id: string | null
  /** Tokens; `spent` counts everything below as well. `limit` is null where the session draws on an ancestor's. */
  readonly envelope: { readonly limit: number | null; readonly spent: number }
  readonly terminal_state: { readonly reason: EndReason; readonly outcome: string; readonly time: string } | null
  readonly scope: readonly string[]
  readonly role: string | null
  readonly rejected_raises: readonly {
    readonly limit: number
    readonly requested: number
    readonly reason: string
    readonly time: string
  }[]
  /** Deltas of a board, which nothing here has: always empty. */
  readonly transitions: readonly never[]
  readonly created_at: string
  readonly ended_at: string | null
}

export interface SessionNodes {
  readonly root_id: string
  readonly nodes: readonly SessionTreeNode[]
  /** Sessions that are there but whose logs cannot be read, and why. */
  readonly unreadable: readonly { readonly id: string; readonly reason: string }[]
}

/**
 * The nodes of one tree, parents before children, from the logs alone. Looks only; a session that cannot be read is named and
 * does not take its neighbours down.
 * Fails as finding or reading the root does.
 * @param root any session: its own subtree is what is answered.
 */
export async function readNodes(
  tree: SessionTree,
  reader: SessionReader,
  root: SessionId,
): Promise<Result<SessionNodes>> {
  const place = await tree.locate(root)
  if (!place.ok) return place
  const first = await reader.read(root)
  if (!first.ok) return first
  const unreadable: { id: string; reason: string }[] = []

  async function below(at: SessionPlace): Promise<readonly SessionTreeNode[]> {
    const reading = await reader.read(at.id)
    if (!reading.ok) unreadable.push({ id: at.id, reason: reading.error.message })
    const children: SessionTreeNode[] = []
    let spent = reading.ok ? reading.value.state.spent : 0
    for (const child of await childPlaces(at)) {
      const nodes = await below(child)
      spent += nodes.find(({ id }) => id === child.id)?.envelope.spent ?? 0
      children.push(...nodes)
    }
    if (!reading.ok) return children
    const { header, state } = reading.value
    const { ended } = state
    return [
      {
        id: at.id,
        root_id: at.ancestors[0] ?? at.id,
        parent_run_id: at.ancestors.at(-1) ?? null,
        envelope: { limit: state.limit ?? null, spent },
        terminal_state: ended ? { reason: ended.reason, outcome: ended.outcome, time: iso(ended.time) } : null,
        scope: state.scope ?? [],
        role: state.role ?? null,
        rejected_raises: state.rejectedRaises.map(({ limit, asked, reason, time }) => ({
          limit,
          requested: asked,
          reason,
          time: iso(time),
        })),
        transitions: [],
        created_at: iso(header.createdAt),
        ended_at: ended ? iso(ended.time) : null,
      },
      ...children,
    ]
  }

  return ok({ root_id: place.value.ancestors[0] ?? root, nodes: await below(place.value), unreadable })
}

/** A time that no calendar holds (field fault F26) is shown as the beginning of time. */
function iso(time: number): string {
  return new Date(Math.abs(time) <= 8.64e15 ? time : 0).toISOString()
}
