import type { SessionId } from '../../shared/session-id.ts'
import type { ToolError } from '../../shared/tool-error.ts'
import type { SessionTree } from './session-tree.ts'
import { createBatch } from './tree-watcher-batch.ts'
import { createTreeIndex, type SeenSession } from './tree-watcher-index.ts'
import { sessionNamed, type KnownFolder, type KnownSession } from './tree-watcher-known.ts'
import { createSweeps } from './tree-watcher-sweeps.ts'
import { watchTargets } from './tree-watcher-targets.ts'
import { createVisits } from './tree-watcher-visits.ts'
import { createWatches } from './tree-watcher-watches.ts'

/** What changed on disk. Take `removed` first: a session that moved is in `removed` with its old parent. */
export interface TreeChange {
  readonly added: readonly SeenSession[]
  /** Grew, got shorter, was replaced, lost its log or moved; also a session that was removed and is there again. */
  readonly changed: readonly SeenSession[]
  readonly removed: readonly SessionId[]
}

export interface TreeWatcherOptions {
  readonly onChange: (change: TreeChange) => void
  /** A sentence for the person, said at most once: live updates are slower, and why. */
  readonly onNotice: (sentence: string) => void
  /** A folder that cannot be read, once for each until it can be read again; what was known below it stays. */
  readonly onFolderProblem?: (problem: ToolError) => void
  /** From one look at everything to the next, while active. */
  readonly sweepEveryMs?: number
  /** The code of the thread that looks at everything; without it this one does, which takes several times as long. */
  readonly sweepThread?: URL
  /** That thread could not be had or has ended; this one looks on. */
  readonly onThreadLost?: (error: unknown) => void
}

export interface TreeWatcher {
  /** The rows on screen: their folders are watched while active. Unknown ids are watched once they appear. */
  readonly setVisible: (ids: readonly SessionId[]) => void
  /** The session whose log is open, and which is watched before all others. */
  readonly setOpen: (id: SessionId | null) => void
  /** True while the window is in front: only then are there timers and watches. Begins with a look at everything. */
  readonly setActive: (active: boolean) => void
  /** Looks at everything now, active or not; resolves when all of it has been told. */
  readonly refresh: () => Promise<void>
  readonly stop: () => void
}

/** A little under 5 s, so that with the look itself a change shows within 5 s (field fault F25). */
const SWEEP_EVERY_MS = 4_500
/** Every so often no folder's time of change is believed: some disks do not keep it. */
const THOROUGH_EVERY = 12
/** Events come in bursts: a creation is five, a copy is hundreds. */
const COALESCE_MS = 75
/** Rows on screen and their folders are some hundred; the rest has the timer. */
const MOST_WATCHES = 512

/**
 * Tells what happens to the sessions of a tree, whoever does it. Looks at stamps (size, time, inode) and listings only; the
 * sweeping thread also reads the logs that it finds, and their facts come with the news. Nothing is looked at before
 * `setActive(true)` or `refresh()`; the first look tells every session as added.
 */
export function watchTree(tree: Pick<SessionTree, 'root'>, options: TreeWatcherOptions): TreeWatcher {
  const sweepEveryMs = options.sweepEveryMs ?? SWEEP_EVERY_MS
  let isActive = false
  let isStopped = false
  /** Looks that somebody waits for: those go on while hidden. */
  let asked = 0
  let visible: readonly SessionId[] = []
  let opened: SessionId | null = null
  let saidSlower = false
  let sweepsOnTimer = 0
  let running: Promise<void> | undefined
  let following: Promise<void> | undefined
  let followingIsThorough = false
  let sweepTimer: NodeJS.Timeout | undefined
  let hintTimer: NodeJS.Timeout | undefined
  let watched: ReadonlyMap<string, KnownFolder | KnownSession> = new Map()
  const hints = new Map<string, Set<string> | 'all'>()
  let problemsBefore: ReadonlySet<string> = new Set()
  let problems = new Set<string>()
  const batch = createBatch()
  const index = createTreeIndex(tree.root, {
    appeared: batch.appeared,
    changed: batch.changed,
    disappeared: batch.disappeared,
    replaced(path) {
      watches.forget(path)
      sweeps.forget(path)
    },
    unreadable,
  })
  const visits = createVisits(index, () => !isStopped && !isIdle())
  const sweeps = createSweeps({
    index,
    visits,
    thread: options.sweepThread,
    onLost: (error) => options.onThreadLost?.(error),
    tell,
    unreadable,
    waiting: batch.size,
  })
  const watches = createWatches(hint, (code) => {
    if (saidSlower || isStopped) return
    saidSlower = true
    options.onNotice(
      `Live updates are slower: this system gives no more file watches (${code}), so what other programs do shows within 5 seconds. Close programs that watch many files; on Linux, raise fs.inotify.max_user_watches.`,
    )
  })

  function unreadable(problem: ToolError): void {
    const path = problem.path ?? tree.root
    if (!problems.has(path) && !problemsBefore.has(path)) options.onFolderProblem?.(problem)
    problems.add(path)
  }

  const isIdle = (): boolean => !isActive && asked === 0

  function tell(): void {
    // What was found when the window was hidden is told when it is in front again.
    if (isIdle()) return
    const change = batch.take()
    if (change && !isStopped) options.onChange(change)
  }

  // What events say is not believed: the thing they point at is looked at.

  function hint(directory: string, name: string | null): void {
    const names = hints.get(directory) ?? new Set()
    hints.set(directory, names === 'all' || name === null ? 'all' : names.add(name))
    hintTimer ??= setTimeout(() => void followHints(), COALESCE_MS)
  }

  async function followHints(): Promise<void> {
    const taken = [...hints]
    hints.clear()
    const startedAt = performance.now()
    await visits.inParallel(taken, async ([directory, names]) => {
      const known = find(directory)
      if (!known) return
      if ('place' in known) return visits.session(known, false)
      // A whole root is for the sweeping thread.
      if (names === 'all' && sweeps.isElsewhere && known === index.root) return void startSweep(false)
      if (names === 'all') return visits.folder(known, false)
      for (const name of names) {
        const session = sessionNamed(known, name)
        if (session) await visits.session(session, false)
      }
    })
    tell()
    hintTimer = undefined
    if (isStopped || !isActive) return
    rewatch()
    // Under a flood of events the looks themselves must not become the load.
    const took = performance.now() - startedAt
    if (hints.size > 0) hintTimer ??= setTimeout(() => void followHints(), Math.max(COALESCE_MS, 2 * took))
  }

  /** What is watched at this path: the root, a session's directory, or one of its collections. */
  function find(directory: string): KnownFolder | KnownSession | undefined {
    return directory === tree.root ? index.root : watched.get(directory)
  }

  async function sweep(thorough: boolean): Promise<void> {
    await sweeps.lookAtAll(thorough)
    problemsBefore = problems
    problems = new Set()
    tell()
    if (isActive) rewatch()
  }

  /** One sweep at a time. One that runs may already be past what changed, so asking again means one more after it. */
  function startSweep(thorough: boolean): Promise<void> {
    if (!running) {
      running = sweep(thorough).finally(() => (running = undefined))
      return running
    }
    followingIsThorough ||= thorough
    following ??= running.then(() => {
      const isThorough = followingIsThorough
      following = undefined
      followingIsThorough = false
      return startSweep(isThorough)
    })
    return following
  }

  function sweepOnTimer(): void {
    const startedAt = performance.now()
    sweepsOnTimer += 1
    void startSweep(sweepsOnTimer % THOROUGH_EVERY === 0).then(() => {
      if (!isActive || isStopped) return
      const took = performance.now() - startedAt
      clearTimeout(sweepTimer)
      sweepTimer = setTimeout(sweepOnTimer, Math.max(sweepEveryMs - took, took))
    })
  }

  function rewatch(): void {
    watched = watchTargets(index, opened, visible)
    const directories = [tree.root, ...watched.keys()].slice(0, MOST_WATCHES)
    for (const directory of watches.set(directories)) hint(directory, null)
  }

  return {
    setVisible(ids) {
      visible = ids
      if (isActive) rewatch()
    },
    setOpen(id) {
      opened = id
      if (isActive) rewatch()
    },
    setActive(active) {
      if (active === isActive || isStopped) return
      isActive = active
      if (active) {
        rewatch()
        sweepOnTimer()
        return
      }
      if (asked === 0) sweeps.cancel()
      clearTimeout(sweepTimer)
      clearTimeout(hintTimer)
      hintTimer = undefined
      hints.clear()
      watches.close()
    },
    async refresh() {
      asked += 1
      try {
        await startSweep(true)
      } finally {
        asked -= 1
      }
    },
    stop() {
      isStopped = true
      isActive = false
      sweeps.stop()
      clearTimeout(sweepTimer)
      clearTimeout(hintTimer)
      watches.close()
    },
  }
}
