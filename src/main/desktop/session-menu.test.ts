import { describe, expect, it } from 'vitest'
import type { SessionSummary } from '../../shared/navigator-view.ts'
import { toolError } from '../../shared/tool-error.ts'
import { sessionMenu, type MenuFacts, type SessionMenuItem } from './session-menu.ts'

const main: SessionSummary = {
  session_id: 'session-1',
  kind: 'main',
  root_session_id: 'session-1',
  status: 'cold',
  cwd: '/work/app',
  group: { key: '/work/app', kind: 'repository', name: 'app' },
  subagents: { count: 0 },
  waiting: false,
}
const rested: MenuFacts = { creating: false, branch: 'trunk' }

function flat(items: readonly SessionMenuItem[]): readonly (readonly [string, string, boolean])[] {
  return items.flatMap((item) =>
    item.separator ? [] : [[item.id, item.label, item.enabled] as const, ...flat(item.submenu ?? [])],
  )
}

function labels(session: SessionSummary, facts: MenuFacts = rested): Record<string, string> {
  return Object.fromEntries(
    flat(sessionMenu(session, facts)).map(([id, label, enabled]) => [id, enabled ? label : `– ${label}`]),
  )
}

describe('the row menu', () => {
  it('has these items, in this order', () => {
    expect(flat(sessionMenu(main, rested))).toEqual([
      ['open', 'Open', true],
      ['rename', 'Rename…', true],
      ['fork', 'Fork Session…', true],
      ['fork-into-worktree', 'Fork into New Worktree…', true],
      ['open-log', 'Open Log in Editor', true],
      ['reveal-log', 'Reveal Log', true],
      ['copy', 'Copy', true],
      ['copy-session-id', 'Session ID', true],
      ['copy-log-path', 'Log Path', true],
      ['copy-cwd', 'Working Directory', true],
      ['copy-branch', 'Branch', true],
      ['stop', 'Stop (nothing runs)', false],
    ])
  })

  it('stops what works or is about to', () => {
    expect(labels({ ...main, status: 'running' })).toMatchObject({ stop: 'Stop' })
    expect(labels({ ...main, queued: true })).toMatchObject({ stop: 'Stop' })
    expect(labels({ ...main, status: 'idle' })).toMatchObject({ stop: '– Stop (nothing runs)' })
  })

  it.each(['fork', 'subagent'] as const)('says that a %s cannot be forked', (kind) => {
    expect(labels({ ...main, kind })).toMatchObject({
      fork: `– Fork Session… (a ${kind} cannot be forked)`,
      'fork-into-worktree': `– Fork into New Worktree… (a ${kind} cannot be forked)`,
      rename: 'Rename…',
      'open-log': 'Open Log in Editor',
    })
  })

  it('turns off only the worktree where there is no repository', () => {
    expect(labels(main, { creating: false, noWorktree: 'not a Git repository' })).toMatchObject({
      fork: 'Fork Session…',
      'fork-into-worktree': '– Fork into New Worktree… (not a Git repository)',
      'copy-branch': '– Branch (none checked out)',
    })
  })

  it('starts no second creation for the same parent', () => {
    expect(labels(main, { ...rested, creating: true })).toMatchObject({
      fork: '– Fork Session… (a fork is being made)',
      'fork-into-worktree': '– Fork into New Worktree… (a fork is being made)',
    })
  })

  it.each([
    [{ warning: { kind: 'folder_missing', message: 'x' } }, 'the folder is missing'],
    [{ warning: { kind: 'worktree_missing', message: 'x' } }, 'the worktree is missing'],
    [{ problem: toolError('layout_mismatch', 'x') }, 'the log cannot be trusted'],
  ] as const)('says what hinders a fork of %j, and leaves its log reachable', (more, reason) => {
    expect(labels({ ...main, ...more })).toMatchObject({
      open: 'Open',
      fork: `– Fork Session… (${reason})`,
      'fork-into-worktree': `– Fork into New Worktree… (${reason})`,
      'open-log': 'Open Log in Editor',
      'reveal-log': 'Reveal Log',
    })
  })

  it('has no log to open where it is missing, and no folder to copy where none is recorded', () => {
    const { cwd: _cwd, ...bare } = main
    expect(labels({ ...bare, status: 'missing', problem: toolError('log_missing', 'x') })).toMatchObject({
      open: 'Open',
      rename: '– Rename… (the log is missing)',
      'open-log': '– Open Log in Editor (the log is missing)',
      'reveal-log': '– Reveal Log (the log is missing)',
      'copy-cwd': '– Working Directory (none recorded)',
      'copy-log-path': 'Log Path',
    })
    expect(labels(bare)).toMatchObject({ fork: '– Fork Session… (no folder is recorded)' })
  })
})
