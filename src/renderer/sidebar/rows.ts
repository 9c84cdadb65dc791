import type { SessionGroup, SessionSummary } from '../../shared/navigator-view.ts'
import { sessionName } from '../ui/title.ts'

/** The sidebar as flat rows, so that it can be virtualized and tested without a window. */
export type SidebarRow = GroupRow | ForksLabelRow | SessionRow

interface GroupRow {
  readonly type: 'group'
  readonly key: string
  readonly group: SessionGroup
  readonly count: number
}

interface ForksLabelRow {
  readonly type: 'forks'
  readonly key: string
}

export interface SessionRow {
  readonly type: 'session'
  readonly key: string
  readonly level: number
  readonly position: number
  readonly size: number
  readonly expandable: boolean
  readonly expanded: boolean
  /** The forks that stand below it, shown or not. */
  readonly forks: readonly string[]
}

/** Every main with its forks, in the order shown; renewed when sessions come, go or move. */
export interface OrderedTree {
  readonly mains: readonly { readonly main: SessionSummary; readonly forks: readonly SessionSummary[] }[]
  readonly total: number
}

export interface SidebarRows {
  readonly rows: readonly SidebarRow[]
  /** How many sessions have a row or stand below a closed one, of `total`. */
  readonly shown: number
  readonly total: number
}

const NONE: readonly string[] = []

/** Pixels, on the 4 px grid but for the row's 30. */
export const ROW_HEIGHTS = { group: 36, forks: 20, session: 30 } as const

/**
 * Last activity first, the id where times are equal (field fault F26). A fork stands under its main; whatever has no main
 * in the list stands where a main would, and is never lost.
 * @param activity what the order follows: settled times, so that rows do not move under the pointer
 */
export function orderTree(
  sessions: ReadonlyMap<string, SessionSummary>,
  activity: ReadonlyMap<string, number>,
): OrderedTree {
  const mains: SessionSummary[] = []
  const forksOf = new Map<string, SessionSummary[]>()
  for (const session of sessions.values()) {
    const parent = session.parent_session_id === undefined ? undefined : sessions.get(session.parent_session_id)
    if (session.kind === 'main' || parent?.kind !== 'main') mains.push(session)
    else {
      const forks = forksOf.get(parent.session_id)
      if (forks) forks.push(session)
      else forksOf.set(parent.session_id, [session])
    }
  }
  const newestFirst = (a: SessionSummary, b: SessionSummary): number =>
    (activity.get(b.session_id) ?? 0) - (activity.get(a.session_id) ?? 0) || (a.session_id < b.session_id ? -1 : 1)
  return {
    mains: mains
      .toSorted(newestFirst)
      .map((main) => ({ main, forks: (forksOf.get(main.session_id) ?? []).toSorted(newestFirst) })),
    total: sessions.size,
  }
}

/** Mains by group, the group of the latest first, each main followed by its forks unless it is closed. */
export function buildRows(tree: OrderedTree, collapsed: ReadonlySet<string>, query: string): SidebarRows {
  const words = searchWords(query)
  const matches = (session: SessionSummary): boolean => words.every((word) => searchText(session).includes(word))

  const groups = new Map<string, { group: SessionGroup; mains: (typeof tree.mains)[number][] }>()
  let shown = 0
  let size = 0
  for (const { main, forks: all } of tree.mains) {
    const found = matches(main)
    // A main that matches keeps all its forks: a search must not make a tree look smaller than it is.
    const forks = found ? all : all.filter(matches)
    if (!found && forks.length === 0) continue
    shown += 1 + forks.length
    size += 1
    const entry = groups.get(main.group.key)
    if (entry) entry.mains.push({ main, forks })
    else groups.set(main.group.key, { group: main.group, mains: [{ main, forks }] })
  }

  const rows: SidebarRow[] = []
  let position = 0
  for (const { group, mains } of groups.values()) {
    const count = mains.reduce((sum, { forks }) => sum + 1 + forks.length, 0)
    rows.push({ type: 'group', key: `group:${group.key}`, group, count })
    for (const { main, forks } of mains) {
      position += 1
      const expanded = forks.length > 0 && (words.length > 0 || !collapsed.has(main.session_id))
      rows.push({
        type: 'session',
        key: main.session_id,
        level: 1,
        position,
        size,
        expandable: forks.length > 0 && words.length === 0,
        expanded,
        forks: forks.map((fork) => fork.session_id),
      })
      if (!expanded) continue
      rows.push({ type: 'forks', key: `forks:${main.session_id}` })
      for (const [index, fork] of forks.entries()) {
        rows.push({
          type: 'session',
          key: fork.session_id,
          level: 2,
          position: index + 1,
          size: forks.length,
          expandable: false,
          expanded: false,
          forks: NONE,
        })
      }
    }
  }
  return { rows, shown, total: tree.total }
}

const searchTexts = new WeakMap<SessionSummary, string>()

/** Title and first prompt, folded; kept for as long as the row's summary is. */
function searchText(session: SessionSummary): string {
  let text = searchTexts.get(session)
  if (text === undefined) {
    text = fold(`${sessionName(session)}\n${session.title ?? ''}\n${session.prompt ?? ''}`)
    searchTexts.set(session, text)
  }
  return text
}

function searchWords(query: string): string[] {
  return fold(query)
    .split(/\s+/u)
    .filter((word) => word !== '')
}

function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}
