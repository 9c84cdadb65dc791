import { expect, it } from 'vitest'
import type { SessionTreeNode } from '../main/agents/nodes.ts'
import type { SessionTreeView } from '../shared/tools.ts'
import { drawTree } from './tree-drawing.ts'

function view(id: string, more: Partial<SessionTreeView> = {}): SessionTreeView {
  return { session_id: id, root_session_id: 'm', kind: 'subagent', status: 'cold', forks: [], subagents: [], ...more }
}

function node(id: string, more: Partial<SessionTreeNode> = {}): SessionTreeNode {
  return {
    id,
    root_id: 'm',
    parent_run_id: null,
    envelope: { limit: null, spent: 0 },
    terminal_state: null,
    scope: [],
    role: null,
    rejected_raises: [],
    transitions: [],
    created_at: '2026-01-01T00:00:00.000Z',
    ended_at: null,
    ...more,
  }
}

const ended = (reason: 'done' | 'budget') => ({
  terminal_state: { reason, outcome: '', time: '2026-01-01T00:00:00.000Z' },
})

it('draws each session with state, tokens, role and scope, forks before subagents', () => {
  const main = view('m', {
    kind: 'main',
    title: 'Orch\u001b[31mard',
    status: 'running',
    forks: [view('f', { kind: 'fork', subagents: [view('a')] })],
    subagents: [view('b', { status: 'failed' }), view('c')],
  })
  const raise = { limit: 5, requested: 9, reason: 'cap_raise_rejected', time: '2026-01-01T00:00:00.000Z' }
  const nodes = [
    node('m', {
      envelope: { limit: 1000, spent: 120 },
      role: 'planner',
      scope: ['src/**', 'docs/*'],
      ...ended('done'),
    }),
    node('f', { envelope: { limit: 5, spent: 6 }, rejected_raises: [raise], ...ended('budget') }),
    node('a', { envelope: { limit: null, spent: 6 } }),
    node('c', ended('done')),
  ]
  expect(drawTree(main, nodes)).toBe(
    [
      'main m  "Orch\\u001b[31mard"  running  120/1000 tokens  role planner  scope src/** docs/*',
      '├─ fork f  budget  6/5 tokens  1 rejected raise',
      '│  └─ subagent a  cold  6 tokens',
      '├─ subagent b  failed',
      '└─ subagent c  done  0 tokens',
      '',
    ].join('\n'),
  )
})
