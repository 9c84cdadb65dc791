import type { SessionId } from '../../shared/session-id.ts'
import type { SessionStatus } from '../../shared/tools.ts'
import type { SessionFacts, SessionPlace } from '../session-tree/session-tree.ts'
import { asksSomething, NO_AGENTS, statusNow, type LiveAgents } from './live-agents.ts'

/** A session as the navigator holds it. */
export interface Entry {
  readonly place: SessionPlace
  readonly facts: SessionFacts
}

/**
 * Every session that was seen, by id, with its children. Holds facts only; nothing here reads the disk. The layout
 * alone says what is below what (spec §4), so a child may be known before its parent.
 */
export interface SessionIndex {
  readonly size: number
  get(id: SessionId): Entry | undefined
  /** Adds or replaces a session. @returns the rows that may look different now. */
  put(facts: SessionFacts): readonly SessionId[]
  /** Takes away a session and everything below it. @returns the ids taken away, and the row above that changed. */
  remove(id: SessionId): { readonly removed: readonly SessionId[]; readonly changed: readonly SessionId[] }
  all(): IterableIterator<Entry>
  /** The direct children of one kind, by id. */
  children(id: SessionId, kind: 'fork' | 'subagent'): readonly Entry[]
  /** All levels below a session, stopping at forks (ui-contract, "Header of the open session"). */
  subagents(id: SessionId): { readonly count: number; readonly worst?: SessionStatus; readonly needs_you?: boolean }
}

/** What a closed list of subagents shows, from the worst down. */
const WORST_FIRST: readonly SessionStatus[] = ['failed', 'running', 'missing', 'idle', 'cold']

/** The session that stands in the sidebar for this one: itself, or for a subagent the nearest fork or main above. */
export function rowOf(place: SessionPlace, index: Pick<SessionIndex, 'get'>): SessionId {
  if (place.kind !== 'subagent') return place.id
  for (const id of place.ancestors.toReversed()) {
    const above = index.get(id)
    if (above && above.place.kind !== 'subagent') return id
  }
  return place.ancestors[0] ?? place.id
}

/**
 * An index that knows no session.
 * @param agents what is known of live agents, which a log does not say
 */
export function createSessionIndex(agents: LiveAgents = NO_AGENTS): SessionIndex {
  const entries = new Map<SessionId, Entry>()
  const childrenOf = new Map<SessionId, Set<SessionId>>()

  const unlink = (place: SessionPlace): void => {
    const parent = place.ancestors.at(-1)
    if (parent === undefined) return
    const siblings = childrenOf.get(parent)
    siblings?.delete(place.id)
    if (siblings?.size === 0) childrenOf.delete(parent)
  }
  const below = (id: SessionId): Entry[] =>
    [...(childrenOf.get(id) ?? [])].map((child) => entries.get(child)).filter((entry) => entry !== undefined)

  const index: SessionIndex = {
    get size() {
      return entries.size
    },
    get: (id) => entries.get(id),
    put(facts) {
      const { place } = facts
      const before = entries.get(place.id)
      const moved = before !== undefined && before.place.directory !== place.directory
      const changed = new Set<SessionId>(moved ? [rowOf(before.place, index)] : [])
      if (moved) unlink(before.place)
      entries.set(place.id, { place, facts })
      const parent = place.ancestors.at(-1)
      if (parent !== undefined) {
        const siblings = childrenOf.get(parent) ?? new Set()
        childrenOf.set(parent, siblings.add(place.id))
      }
      return [...changed.add(rowOf(place, index))]
    },
    remove(id) {
      const entry = entries.get(id)
      if (!entry) return { removed: [], changed: [] }
      const row = rowOf(entry.place, index)
      const removed: SessionId[] = []
      const pending = [id]
      for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
        pending.push(...(childrenOf.get(next) ?? []))
        childrenOf.delete(next)
        if (entries.delete(next)) removed.push(next)
      }
      unlink(entry.place)
      return { removed, changed: row === id ? [] : [row] }
    },
    all: () => entries.values(),
    children: (id, kind) =>
      below(id)
        .filter((entry) => entry.place.kind === kind)
        .toSorted((left, right) => (left.place.id < right.place.id ? -1 : 1)),
    subagents(id) {
      let count = 0
      let worst = WORST_FIRST.length
      let needsYou = false
      const pending = [id]
      for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
        for (const { place, facts } of below(next)) {
          if (place.kind !== 'subagent') continue
          count += 1
          const live = agents.status(place.id)
          worst = Math.min(worst, WORST_FIRST.indexOf(statusNow(facts, live)))
          needsYou ||= asksSomething(live)
          pending.push(place.id)
        }
      }
      const status = WORST_FIRST[worst]
      return { count, ...(status && { worst: status }), ...(needsYou && { needs_you: true }) }
    },
  }
  return index
}
