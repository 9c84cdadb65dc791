import type { SubagentSummary } from '../../shared/navigator-view.ts'
import { markOf, worstMark, type Mark } from '../ui/state-mark.tsx'

export interface SubagentRow {
  readonly key: string
  readonly subagent: SubagentSummary
  readonly level: number
  readonly position: number
  readonly size: number
  readonly expandable: boolean
  readonly expanded: boolean
}

/** Running ones first, then the last that did something, then by id, so that equal ones keep their places. */
export function subagentRows(roots: readonly SubagentSummary[], closed: ReadonlySet<string>): SubagentRow[] {
  const rows: SubagentRow[] = []
  const add = (subagents: readonly SubagentSummary[], level: number): void => {
    for (const [index, subagent] of subagents.toSorted(runningFirst).entries()) {
      const expandable = subagent.subagents.length > 0
      const expanded = expandable && !closed.has(subagent.session_id)
      rows.push({
        key: subagent.session_id,
        subagent,
        level,
        position: index + 1,
        size: subagents.length,
        expandable,
        expanded,
      })
      if (expanded) add(subagent.subagents, level + 1)
    }
  }
  add(roots, 1)
  return rows
}

/** How many there are at all levels, and how many of each state, the one that matters most first. */
export function countSubagents(roots: readonly SubagentSummary[]): {
  readonly total: number
  readonly worst: Mark | undefined
  readonly byState: ReadonlyMap<Mark, number>
} {
  const counts = new Map<Mark, number>()
  const add = (subagents: readonly SubagentSummary[]): void => {
    for (const subagent of subagents) {
      const mark = markOf(subagent)
      counts.set(mark, (counts.get(mark) ?? 0) + 1)
      add(subagent.subagents)
    }
  }
  add(roots)
  const byState = new Map<Mark, number>()
  while (byState.size < counts.size) {
    const next = worstMark([...counts.keys()].filter((mark) => !byState.has(mark)))
    if (next === undefined) break
    byState.set(next, counts.get(next) ?? 0)
  }
  return {
    total: [...counts.values()].reduce((sum, count) => sum + count, 0),
    worst: worstMark(counts.keys()),
    byState,
  }
}

function runningFirst(a: SubagentSummary, b: SubagentSummary): number {
  return (
    Number(b.status === 'running') - Number(a.status === 'running') ||
    (b.updated_at ?? 0) - (a.updated_at ?? 0) ||
    (a.session_id < b.session_id ? -1 : 1)
  )
}
