import { isDeepStrictEqual } from 'node:util'
import type {
  ForkPreview,
  NavigatorPatch,
  NavigatorSnapshot,
  Notice,
  SessionDetails,
  SessionSummary,
  TranscriptPage,
} from '../../shared/navigator-view.ts'
import type { Pushes } from '../../shared/bridge.ts'
import { ok, type Result } from '../../shared/result.ts'
import type { SessionId } from '../../shared/session-id.ts'
import type { PageRequest, SessionFacts, SessionTree } from '../session-tree/session-tree.ts'
import type { WorktreeProvider } from '../worktrees/worktree-provider.ts'
import { detailsOf } from './details.ts'
import { createFolderKnowledge, inAMoment, usesFolder } from './folder-knowledge.ts'
import { previewFork, type PreviewRequest } from './fork-preview.ts'
import { NO_AGENTS, type LiveAgents } from './live-agents.ts'
import { createPatchQueue, ROWS_AT_ONCE } from './patches.ts'
import { createSessionIndex, rowOf, type Entry } from './session-index.ts'
import { summaryOf, unreadableOf } from './summary.ts'
import { readWholeLine } from './whole-line.ts'

export interface NavigatorOptions {
  readonly home: string
  readonly tree: SessionTree
  readonly worktrees: Pick<WorktreeProvider, 'plan'>
  readonly onPatch: (patch: NavigatorPatch) => void
  readonly onLogChanged: (change: Pushes['log_changed']) => void
  readonly onLiveChanged?: (change: Pushes['live_changed']) => void
}

/**
 * What the window shows: rows, groups, warnings, the open session. It holds facts of sessions and nothing of their
 * logs; it looks and never writes (docs/decisions/0002). Plain Node: the desktop hands it to the window.
 */
export interface Navigator {
  /** What is known now. With more rows than fit in one message the rest follows as patches. */
  snapshot(): NavigatorSnapshot
  /** Takes in a session's facts as they are now on disk. */
  put(facts: SessionFacts): Promise<void>
  /** Takes away a session and all below it. */
  remove(id: SessionId): void
  /** Says that everything on disk has been looked at. */
  complete(): void
  /** Shows a notice until `withdraw`; the same id replaces its text. */
  notice(notice: Notice): void
  withdraw(id: Notice['id']): void
  /** Reads one session's facts from disk now. `unknown_session` if it is nowhere. */
  look(id: SessionId): Promise<Result<Entry>>
  /** A session's row with its folder as it is now; `unknown_session` if it is nowhere. */
  summary(id: SessionId): Promise<Result<SessionSummary>>
  details(id: SessionId): Promise<Result<SessionDetails>>
  readLog(id: SessionId, page: PageRequest): Promise<Result<TranscriptPage>>
  readLine(id: SessionId, offset: number): Promise<Result<string>>
  forkPreview(id: SessionId, request: PreviewRequest): Promise<Result<ForkPreview>>
  /** The subagents below a session at all levels, stopping at forks. */
  below(id: SessionId): readonly Entry[]
  /** From now on, what is shown of sessions includes their live agents. */
  followAgents(agents: LiveAgents): void
  /** A live agent began, ended, waits or asks. */
  agentChanged(id: SessionId): void
  /** The session whose log is open: its growth is told, and its folder is looked at (field fault F11). */
  open(id: SessionId | null): void
  /** Looks at all folders again: the window came to the front, and things may have moved meanwhile. */
  lookAtFolders(): Promise<void>
  stop(): void
}

/** A navigator that knows no session yet: the watcher feeds it. */
export function createNavigator(options: NavigatorOptions): Navigator {
  const { home, tree, worktrees } = options
  let followed = NO_AGENTS
  const agents: LiveAgents = { status: (id) => followed.status(id), trouble: (id) => followed.trouble(id) }
  const index = createSessionIndex(agents)
  const folders = createFolderKnowledge()
  const notices = new Map<string, Notice>()
  const latest = new Map<SessionId, SessionFacts>()
  const stale = { unreadable: false, notices: false }
  let isComplete = false
  let opened: SessionId | null = null
  let lookingAtFolders: Promise<void> | undefined

  const summaryNow = (entry: Entry): SessionSummary =>
    summaryOf(entry, folders.known(entry.facts.header), index, agents)
  const rows = (ids: readonly SessionId[]): SessionSummary[] =>
    ids.flatMap((id) => {
      const entry = index.get(id)
      return entry && entry.place.kind !== 'subagent' ? [summaryNow(entry)] : []
    })
  const queue = createPatchQueue<SessionId>((changed, removed, more) => {
    const { unreadable, notices: noticesChanged } = stale
    stale.unreadable = stale.notices = false
    options.onPatch({
      changed: rows(changed),
      removed,
      complete: isComplete && !more,
      ...(unreadable ? { unreadable: unreadableOf(index) } : {}),
      ...(noticesChanged ? { notices: [...notices.values()] } : {}),
    })
  })

  const rowsChanged = (ids: readonly SessionId[]): void => {
    for (const id of ids) queue.changed(id)
  }
  const folderIsKnown = (id: SessionId): void => {
    const entry = index.get(id)
    if (entry) queue.changed(rowOf(entry.place, index))
  }
  const logChanged = (before: SessionFacts | undefined, { place, file }: SessionFacts): void => {
    if (place.id !== opened || !file) return
    if (before?.file?.size === file.size && before.file.inode === file.inode) return
    options.onLogChanged({ session_id: place.id, size: file.size, inode: file.inode })
  }
  const put = async (facts: SessionFacts): Promise<void> => {
    const { id } = facts.place
    latest.set(id, facts)
    await folders.of(facts.header, () => folderIsKnown(id))
    // While the folder was looked at, the session may have changed again or gone away.
    if (latest.get(id) !== facts) return
    latest.delete(id)
    const before = index.get(id)?.facts
    const rowsOfIt = index.put(facts)
    // Looking at what is known already is no news: told as such, the window would look again, for ever.
    if (!isDeepStrictEqual(before, facts)) rowsChanged(rowsOfIt)
    if (facts.place.kind === 'subagent' && (facts.problem ?? before?.problem)) stale.unreadable = true
    logChanged(before, facts)
  }
  const look = async (id: SessionId): Promise<Result<Entry>> => {
    const place = await tree.locate(id)
    if (!place.ok) {
      if (place.error.code === 'unknown_session') navigator.remove(id)
      return place
    }
    const facts = await tree.facts(place.value)
    await put(facts)
    return ok({ place: place.value, facts })
  }
  const entryOf = async (id: SessionId): Promise<Result<Entry>> => {
    const entry = index.get(id)
    return entry ? ok(entry) : look(id)
  }
  const lookAtFolder = async (id: SessionId): Promise<void> => {
    const entry = index.get(id)
    if (entry && (await folders.lookAgain(entry.facts.header))) folderIsKnown(id)
  }

  const navigator: Navigator = {
    snapshot() {
      const ids: SessionId[] = []
      for (const { place } of index.all()) if (place.kind !== 'subagent') ids.push(place.id)
      // Latest first, so that what follows as patches is what is furthest down.
      ids.sort((left, right) => activity(index.get(right)) - activity(index.get(left)))
      rowsChanged(ids.slice(ROWS_AT_ONCE))
      return {
        home,
        complete: isComplete && ids.length <= ROWS_AT_ONCE,
        sessions: rows(ids.slice(0, ROWS_AT_ONCE)),
        unreadable: unreadableOf(index),
        notices: [...notices.values()],
      }
    },
    put,
    remove(id) {
      latest.delete(id)
      const { removed, changed } = index.remove(id)
      for (const gone of removed) queue.removed(gone)
      rowsChanged(changed)
      if (removed.length > 0) stale.unreadable = true
    },
    complete() {
      isComplete = true
      queue.touch()
    },
    notice(notice) {
      if (notices.get(notice.id)?.message === notice.message) return
      notices.set(notice.id, notice)
      stale.notices = true
      queue.touch()
    },
    withdraw(id) {
      if (!notices.delete(id)) return
      stale.notices = true
      queue.touch()
    },
    look,
    async summary(id) {
      const entry = await entryOf(id)
      if (!entry.ok) return entry
      // A menu offers what can be done now: the folder may have gone while its session was open (field fault F10).
      await inAMoment(lookAtFolder(id))
      return ok(summaryNow(entry.value))
    },
    async details(id) {
      const entry = await look(id)
      return entry.ok ? ok(await detailsOf(entry.value, summaryNow(entry.value), index, tree, agents)) : entry
    },
    async readLog(id, request) {
      const page = await tree.read(id, request)
      return page.ok ? ok({ session_id: id, ...page.value }) : page
    },
    async readLine(id, offset) {
      const place = await tree.locate(id)
      return place.ok ? readWholeLine(place.value, offset) : place
    },
    async forkPreview(id, request) {
      const entry = await look(id)
      void lookAtFolder(id)
      return entry.ok ? previewFork(entry.value.facts, request, tree, worktrees) : entry
    },
    below: (id) => index.children(id, 'subagent').flatMap((entry) => [entry, ...navigator.below(entry.place.id)]),
    followAgents(next) {
      followed = next
      for (const { place } of index.all()) {
        if (next.status(place.id) ?? next.trouble(place.id)) navigator.agentChanged(place.id)
      }
    },
    agentChanged(id) {
      const tell = (): void => {
        const place = index.get(id)?.place
        if (!place) return
        queue.changed(rowOf(place, index))
        if (opened === null || (id !== opened && !place.ancestors.includes(opened))) return
        options.onLiveChanged?.({ session_id: opened })
      }
      tell()
      // What an agent wrote last is on disk before it is said to have ended: the row must not show what was before.
      void look(id).then(tell)
    },
    open(id) {
      if (id === opened) return
      opened = id
      if (id === null) return
      void lookAtFolder(id)
      // The window reads a log before it says here that it is open: what was seen to be written in between is told now.
      const file = index.get(id)?.facts.file
      if (file) options.onLogChanged({ session_id: id, size: file.size, inode: file.inode })
    },
    lookAtFolders() {
      lookingAtFolders ??= folders.lookAtAll().then((different) => {
        lookingAtFolders = undefined
        for (const { place, facts } of index.all()) {
          const key = usesFolder(facts.header)
          if (key !== undefined && different.has(key)) queue.changed(rowOf(place, index))
        }
      })
      return lookingAtFolders
    },
    stop: () => queue.stop(),
  }
  return navigator
}

function activity(entry: Entry | undefined): number {
  return entry?.facts.updatedAt ?? 0
}
