import { openHome } from '../gateway/home-host.ts'
import { createNavigator } from '../navigator/navigator.ts'
import { scanTree } from '../navigator/scan.ts'
import type { HomePaths } from '../session-tree/home-paths.ts'
import { openSessionTree } from '../session-tree/tree-provider.ts'
import { readSettings } from '../settings/settings-file.ts'
import { createGitWorktrees } from '../worktrees/git-worktrees.ts'
import { callHandlers } from './calls.ts'
import { createCreations } from './creations.ts'
import { accessHome } from './home-access.ts'
import type { CallHandlers } from './ipc.ts'
import type { Report } from './own-log.ts'
import type { SampleStart } from './parts.ts'
import type { System } from './system.ts'
import type { WindowStateFile } from './window-state.ts'

/** Everything behind the window that runs: the tree, what watches it, the navigator, the home. */
export interface Live {
  readonly handlers: CallHandlers
  /** True while the window can be seen; nothing is looked at while it cannot. */
  setActive(active: boolean): void
  /** The window came to the front: folders may have moved meanwhile. */
  lookAgain(): void
  /** Ends what runs, whole or undone, and gives the home back. */
  stop(): Promise<void>
}

export interface LiveOptions {
  readonly paths: HomePaths
  readonly system: System
  readonly state: WindowStateFile
  readonly sample: SampleStart
  readonly report: Report
  /** Resolves once the window has painted: what is not needed for that is loaded after it. */
  readonly painted: Promise<void>
}

/** Starts to look at the tree at once; the home is asked for, and what needs more code is loaded, after the first paint. */
export function startLive(options: LiveOptions): Live {
  const { paths, system, state, sample, report, painted } = options
  const stopping = new AbortController()
  const tree = openSessionTree(paths.tree)
  const worktrees = createGitWorktrees({
    home: paths.home,
    templates: async () => (await readSettings(paths.settings)).settings,
  })
  const navigator = createNavigator({
    home: paths.home,
    tree,
    worktrees,
    onPatch: (patch) => system.push('patch', patch),
    onLogChanged: (change) => system.push('log_changed', change),
  })
  const home = accessHome(
    async () => {
      await painted
      const opened = await openHome({
        paths,
        app: 'window',
        serve: true,
        onBug: (error) => report('A call over the socket failed.', error),
      })
      if (opened.ok) for (const sentence of opened.value.reports) report(sentence)
      return opened
    },
    (hindrance) => {
      if (hindrance)
        navigator.notice({ id: 'home', message: `${hindrance.message} Until then this window can only look.` })
      else navigator.withdraw('home')
    },
  )
  const scanned = scanTree(tree, async (place) => navigator.put(await tree.facts(place)), stopping.signal).then(() =>
    navigator.complete(),
  )
  scanned.catch((error: unknown) => report('The tree could not be looked through.', error))

  const live = {
    watch(_visible: readonly string[], _open: string | null) {},
    refresh() {},
  }
  const handlers = callHandlers({
    paths,
    tree,
    navigator,
    home,
    creations: createCreations(),
    state,
    system,
    report,
    live,
    sample,
  })
  return {
    handlers,
    setActive: () => undefined,
    lookAgain: () => void navigator.lookAtFolders(),
    async stop() {
      stopping.abort()
      navigator.stop()
      await home.close()
    },
  }
}
