import { create } from 'zustand'
import type {
  NavigatorPatch,
  NavigatorSnapshot,
  Notice,
  SessionSummary,
  UnreadableSession,
} from '../../shared/navigator-view.ts'
import type { ToolError } from '../../shared/tool-error.ts'
import { activityTime } from '../ui/time.ts'

interface Listed {
  readonly sessions: ReadonlyMap<string, SessionSummary>
  /** What the list sorts by. It follows the sessions except while the order is held. */
  readonly activity: ReadonlyMap<string, number>
}

/** What is on disk, as main last told it. Selectors return one value or one summary, never a new array. */
export interface SessionState {
  readonly phase: 'loading' | 'ready' | 'failed'
  readonly failure: ToolError | null
  readonly home: string
  readonly complete: boolean
  readonly sessions: ReadonlyMap<string, SessionSummary>
  /** What the rows are built from: renewed when rows come, go or move, while a row's own facts change without it. */
  readonly listed: Listed
  /** How many of the sessions are odd. */
  readonly problems: number
  readonly unreadable: readonly UnreadableSession[]
  readonly notices: readonly Notice[]
}

export const useSessions = create<SessionState>()(() => ({
  phase: 'loading',
  failure: null,
  home: '',
  complete: false,
  sessions: new Map(),
  listed: { sessions: new Map(), activity: new Map() },
  problems: 0,
  unreadable: [],
  notices: [],
}))

/** True while the pointer or the focus is in the list: no row may move then. */
let held = false

/** Replaces everything by a snapshot. */
export function showSnapshot(snapshot: NavigatorSnapshot, now = Date.now()): void {
  const sessions = new Map(snapshot.sessions.map((session) => [session.session_id, session]))
  useSessions.setState({
    phase: 'ready',
    failure: null,
    home: snapshot.home,
    complete: snapshot.complete,
    sessions,
    listed: { sessions, activity: activityOf(sessions, now) },
    problems: snapshot.sessions.filter((session) => session.problem !== undefined).length,
    unreadable: snapshot.unreadable,
    notices: snapshot.notices,
  })
}

/** Says that nothing could be read at all. What was shown before stays. */
export function showFailure(failure: ToolError): void {
  useSessions.setState((state) => (state.phase === 'ready' ? {} : { phase: 'failed', failure }))
}

/** Applies one patch: rows whose summary did not change keep their object, so only changed rows are drawn again. */
export function applyPatch(patch: NavigatorPatch, now = Date.now()): void {
  useSessions.setState((state) => {
    const sessions = new Map(state.sessions)
    const times = new Map<string, number>()
    let moved = false
    let problemsAdded = 0
    for (const id of patch.removed) {
      problemsAdded -= Number(sessions.get(id)?.problem !== undefined)
      moved = sessions.delete(id) || moved
    }
    for (const session of patch.changed) {
      const before = sessions.get(session.session_id)
      sessions.set(session.session_id, session)
      problemsAdded += Number(session.problem !== undefined) - Number(before?.problem !== undefined)
      if (before === undefined || standsElsewhere(before, session)) moved = true
      const time = activityTime(session, now)
      if (before !== undefined && (held || state.listed.activity.get(session.session_id) === time)) continue
      times.set(session.session_id, time)
      moved = true
    }
    // Ten thousand times are copied only where one of them is another.
    return {
      sessions,
      listed: moved ? { sessions, activity: withTimes(state.listed.activity, times, patch.removed) } : state.listed,
      problems: state.problems + problemsAdded,
      complete: patch.complete,
      ...(patch.unreadable && { unreadable: patch.unreadable }),
      ...(patch.notices && { notices: patch.notices }),
    }
  })
}

/** Shows a rename at once; main's patch says the same within a second. `undefined`: there was no title, so one is taken back. */
export function showTitle(session_id: string, title: string | undefined): void {
  const session = useSessions.getState().sessions.get(session_id)
  if (!session) return
  const { title: _, ...untitled } = session
  const changed = title === undefined ? untitled : { ...untitled, title }
  applyPatch({ changed: [changed], removed: [], complete: useSessions.getState().complete })
}

/** Holds the order while the pointer or the focus is in the list, and settles it when both have left. */
export function holdOrder(hold: boolean, now = Date.now()): void {
  if (held === hold) return
  held = hold
  if (hold) return
  const { sessions, listed } = useSessions.getState()
  const activity = activityOf(sessions, now)
  const hasMoved = [...activity].some(([id, time]) => listed.activity.get(id) !== time)
  if (hasMoved) useSessions.setState({ listed: { sessions, activity } })
}

function activityOf(sessions: ReadonlyMap<string, SessionSummary>, now: number): Map<string, number> {
  const activity = new Map<string, number>()
  for (const session of sessions.values()) activity.set(session.session_id, activityTime(session, now))
  return activity
}

/** A copy, made only where rows have moved. */
function withTimes(
  activity: ReadonlyMap<string, number>,
  times: ReadonlyMap<string, number>,
  removed: readonly string[],
): ReadonlyMap<string, number> {
  const next = new Map(activity)
  for (const id of removed) next.delete(id)
  for (const [id, time] of times) next.set(id, time)
  return next
}

function standsElsewhere(before: SessionSummary, after: SessionSummary): boolean {
  return (
    before.title !== after.title ||
    before.prompt !== after.prompt ||
    before.kind !== after.kind ||
    before.parent_session_id !== after.parent_session_id ||
    before.group.key !== after.group.key ||
    before.group.name !== after.group.name
  )
}
