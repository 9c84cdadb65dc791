import type { LegacyRecord, LogHeader } from '../../shared/session-event.ts'
import type { SessionId } from '../../shared/session-id.ts'
import type { SessionKind } from '../../shared/tools.ts'
import { safeSessionId } from './safe-id.ts'
import type { ForeignSession } from './source.ts'

/** What a session in the tree is to those that may come below it. */
export interface Standing {
  readonly kind: SessionKind
  readonly root: SessionId
  /** DSH's `delegationDepth`: 0 at the top and for forks, one more for each subagent. */
  readonly depth: number
}

/** What a place depends on: all of a foreign session but its log. */
export type Placeable = Omit<ForeignSession, 'path' | 'events'>

export interface Placement {
  readonly id: SessionId
  readonly header: LogHeader
  readonly parent?: SessionId
  readonly standing: Standing
}

/** The only log format version the tree writes (dsh-format §3). */
const VERSION = 0

/**
 * Decides what a foreign session becomes in the tree (issue 2 F): a fork where its parent is a main, a subagent where its
 * parent is there, else a main of its own that keeps what it was in `legacy`. The header agrees with that place and is
 * one DSH accepts (dsh-format §11).
 * @param standingOf what is known of a session that is in the tree; undefined if it is not there.
 */
export function placeSession(session: Placeable, standingOf: (id: SessionId) => Standing | undefined): Placement {
  const own = safeSessionId(session.id)
  const parent = session.parent === undefined ? undefined : safeSessionId(session.parent)
  const above = parent && parent.id !== own.id ? standingOf(parent.id) : undefined
  const reasons = [own.derived ? 'its id is not safe as the name of a folder' : undefined]
  const common = {
    type: 'session',
    version: VERSION,
    id: own.id,
    createdAt: session.createdAt,
    ...(session.cwd === undefined ? {} : { cwd: session.cwd }),
  } as const
  const preset = session.agentPreset === undefined ? {} : { agentPreset: session.agentPreset }
  const seeded = session.seedLength === undefined ? {} : { seedLength: session.seedLength }

  if (parent === undefined || above === undefined || (session.relation === 'fork' && above.kind !== 'main')) {
    if (parent !== undefined) reasons.push(whyNoChild(session, parent.id === own.id, above))
    return {
      id: own.id,
      // What was copied stays copied: titles, inbox and usage of a legacy root are its own only from there on.
      header: {
        ...common,
        ...seeded,
        delegationDepth: 0,
        ...preset,
        kind: 'main',
        root_session_id: own.id,
        ...legacy(session, reasons, own.derived, parent !== undefined),
      },
      standing: { kind: 'main', root: own.id, depth: 0 },
    }
  }

  if (parent.derived) reasons.push("its parent's id is not safe as the name of a folder")
  const fork = session.relation === 'fork'
  const depth = fork ? 0 : above.depth + 1
  return {
    id: own.id,
    parent: parent.id,
    header: {
      ...common,
      parentSession: parent.id,
      ...(fork ? { seedLength: session.seedLength ?? 0 } : seeded),
      ...(fork ? {} : { origin: 'subagent' }),
      delegationDepth: depth,
      ...preset,
      kind: session.relation,
      parent_session_id: parent.id,
      root_session_id: above.root,
      ...legacy(session, reasons, own.derived, parent.derived),
    },
    standing: { kind: session.relation, root: above.root, depth },
  }
}

/**
 * The sessions with parents before their children, older ones first; those that are each other's parents stand where the
 * first of them would.
 */
export function parentsFirst(sessions: readonly ForeignSession[]): readonly ForeignSession[] {
  const byId = new Map(sessions.map((session) => [session.id, session]))
  const oldestFirst = sessions.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
  const placed = new Set<ForeignSession>()
  for (const session of oldestFirst) {
    const chain: ForeignSession[] = []
    const seen = new Set<ForeignSession>()
    for (
      let at: ForeignSession | undefined = session;
      at !== undefined && !placed.has(at) && !seen.has(at);
      at = at.parent === undefined ? undefined : byId.get(at.parent)
    ) {
      seen.add(at)
      chain.push(at)
    }
    for (const each of chain.toReversed()) placed.add(each)
  }
  return [...placed]
}

function whyNoChild(session: Placeable, itself: boolean, above: Standing | undefined): string {
  if (itself) return 'it names itself as its parent'
  if (above === undefined) return `the session it is a ${session.relation} of is not there`
  return `it is a fork of a ${above.kind}, and only a main can have forks`
}

function legacy(
  session: Placeable,
  reasons: readonly (string | undefined)[],
  keepId: boolean,
  keepParent: boolean,
): { legacy?: LegacyRecord } {
  const said = reasons.filter((reason) => reason !== undefined)
  if (said.length === 0) return {}
  return {
    legacy: {
      ...(keepId ? { id: session.id } : {}),
      ...(keepParent && session.parent !== undefined ? { parentSession: session.parent } : {}),
      reason: said.join('; '),
    },
  }
}
