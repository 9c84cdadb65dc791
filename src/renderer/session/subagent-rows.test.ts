import { describe, expect, it } from 'vitest'
import type { SubagentSummary } from '../../shared/navigator-view.ts'
import { countSubagents, subagentRows } from './subagent-rows.ts'

function subagent(session_id: string, more: Partial<SubagentSummary> = {}): SubagentSummary {
  return { session_id, name: session_id, status: 'cold', subagents: [], ...more }
}

const tree = [
  subagent('a', { updated_at: 5 }),
  subagent('b', {
    updated_at: 1,
    status: 'running',
    subagents: [subagent('b1', { status: 'failed', subagents: [subagent('b11')] })],
  }),
]

describe('subagentRows', () => {
  it('lists any depth, running first', () => {
    expect(subagentRows(tree, new Set()).map(({ key, level }) => [key, level])).toEqual([
      ['b', 1],
      ['b1', 2],
      ['b11', 3],
      ['a', 1],
    ])
  })

  it('hides what is below a closed one', () => {
    const rows = subagentRows(tree, new Set(['b']))
    expect(rows.map(({ key }) => key)).toEqual(['b', 'a'])
    expect(rows[0]).toMatchObject({ expandable: true, expanded: false, position: 1, size: 2 })
  })

  it('keeps equal ones in one order', () => {
    const equal = ['c', 'a', 'b'].map((id) => subagent(id))
    expect(subagentRows(equal, new Set()).map(({ key }) => key)).toEqual(['a', 'b', 'c'])
  })
})

describe('countSubagents', () => {
  it('counts all levels and names the state that matters most', () => {
    const { total, worst, byState } = countSubagents(tree)
    expect(total).toBe(4)
    expect(worst).toBe('failed')
    expect([...byState]).toEqual([
      ['failed', 1],
      ['running', 1],
      ['cold', 2],
    ])
  })
})
