import { beforeEach, describe, expect, it } from 'vitest'
import type { SessionSummary } from '../../shared/navigator-view.ts'
import { applyPatch, holdOrder, showSnapshot, useSessions } from './session-store.ts'

const now = Date.UTC(2026, 10, 30)

function summary(id: string, updated_at: number, more: Partial<SessionSummary> = {}): SessionSummary {
  return {
    session_id: id,
    kind: 'main',
    root_session_id: id,
    status: 'cold',
    updated_at,
    group: { key: '/a', kind: 'folder', name: 'a' },
    subagents: { count: 0 },
    waiting: false,
    ...more,
  }
}

const patch = (changed: SessionSummary[], removed: string[] = []): void => {
  applyPatch({ changed, removed, complete: true }, now)
}

beforeEach(() => {
  holdOrder(false, now)
  showSnapshot(
    {
      home: '/h',
      complete: true,
      sessions: [summary('a', now - 10), summary('b', now - 20)],
      unreadable: [],
      notices: [],
    },
    now,
  )
})

describe('the session store', () => {
  it('keeps the object of a row that a patch does not name', () => {
    const before = useSessions.getState().sessions.get('b')
    patch([summary('a', now - 5)])
    expect(useSessions.getState().sessions.get('b')).toBe(before)
  })

  it('does not rebuild the rows for a change of state alone', () => {
    const { listed } = useSessions.getState()
    patch([summary('a', now - 10, { status: 'failed' })])
    expect(useSessions.getState().listed).toBe(listed)
    expect(useSessions.getState().sessions.get('a')?.status).toBe('failed')
  })

  it('holds the order while the list is in use, and settles it afterwards', () => {
    holdOrder(true, now)
    patch([summary('b', now - 1)])
    expect(useSessions.getState().listed.activity.get('b')).toBe(now - 20)
    holdOrder(false, now)
    expect(useSessions.getState().listed.activity.get('b')).toBe(now - 1)
  })

  it('shows a new session at once, even while held', () => {
    holdOrder(true, now)
    const { listed } = useSessions.getState()
    patch([summary('c', now)])
    expect(useSessions.getState().listed).not.toBe(listed)
    expect(useSessions.getState().listed.activity.get('c')).toBe(now)
  })

  it('counts the odd ones', () => {
    const problem = { code: 'log_missing', message: 'Gone.' } as const
    patch([summary('a', now, { problem }), summary('c', now, { problem })])
    expect(useSessions.getState().problems).toBe(2)
    patch([summary('a', now)], ['c'])
    expect(useSessions.getState().problems).toBe(0)
  })

  it('forgets what was removed', () => {
    patch([], ['a'])
    expect(useSessions.getState().sessions.has('a')).toBe(false)
    expect(useSessions.getState().listed.activity.has('a')).toBe(false)
  })
})
