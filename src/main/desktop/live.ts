import { setTimeout as wait } from 'node:timers/promises'
import { followTree } from '../navigator/live-tree.ts'
import { createNavigator, type Navigator } from '../navigator/navigator.ts'
import type { HomePaths } from '../session-tree/home-paths.ts'
import { openSessionTree } from '../session-tree/tree-provider.ts'
import { readSettings } from '../settings/settings-file.ts'
import { findGit, searchFolders, USUAL_GIT_FOLDERS } from '../worktrees/find-git.ts'
import { createGitWorktrees } from '../worktrees/git-worktrees.ts'
import { createCreations } from './creations.ts'
import type { CallHandlers } from './ipc.ts'
import type { Report } from './own-log.ts'
import type { SampleStart } from './parts.ts'
import type { System } from './system.ts'
import { windowHome } from './window-home.ts'
import type { WindowStateFile } from './window-state.ts'

/** Everything behind the window that runs: the tree, what follows it, the navigator, the home. */
export interface Live {
  readonly handlers: Promise<CallHandlers>
  /** Resolves once every session has been looked at. */
  readonly lookedAtAll: Promise<void>
  /** True while the window can be seen; nothing is looked at while it cannot. */
  setActive(active: boolean): void
  /** The window came to the front: sessions and folders may have changed meanwhile. */
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
  /** Why settings.json could not be read, if so. */
  readonly settingsProblem: string | undefined
  /** The code of the catalog's thread. */
  readonly workerUrl: URL
  /** The code of the thread that looks for changes. */
  readonly sweepThread: URL
  /** Resolves once the window has painted: what is not needed for that is loaded after it. */
  readonly painted: Promise<void>
}

/** With thousands of logs the catalog is wanted before all of them have been read. */
const ROWS_TAKE_LONG_MS = 500

/** Starts to look at the tree at once; the home is asked for, and what needs more code is loaded, after the first paint. */
export function startLive(options: LiveOptions): Live {
  const { paths, system, report, painted } = options
  const stopping = Promise.withResolvers<'stopping'>()
  const rowsAreThere = Promise.withResolvers<void>()
  /** The time for what no row needs: after the first paint, and after all rows unless they take long. */
  const calm = Promise.race([
    painted.then(() => Promise.race([rowsAreThere.promise, wait(ROWS_TAKE_LONG_MS)])).then(() => 'calm' as const),
    stopping.promise,
  ])

  const tree = openSessionTree(paths.tree)
  const navigator = createNavigator({
    home: paths.home,
    tree,
    worktrees: createGitWorktrees({
      home: paths.home,
      templates: async () => (await readSettings(paths.settings)).settings,
    }),
    onPatch: (patch) => system.push('patch', patch),
    onLogChanged: (change) => system.push('log_changed', change),
    onLiveChanged: (change) => system.push('live_changed', change),
  })
  const live = followTree({
    tree,
    navigator,
    report,
    sweepThread: options.sweepThread,
    async startCatalog(onFacts) {
      if ((await calm) === 'stopping') return undefined
      const { startCatalog } = await import('../catalog/live-catalog.ts')
      return startCatalog({
        workerUrl: options.workerUrl,
        catalogPath: paths.catalog,
        resources: process.resourcesPath,
        tree,
        onFacts,
        onUnavailable: (error) => report(error.message),
      })
    },
  })
  const home = windowHome({
    paths,
    navigator,
    report,
    mayBegin: calm.then((time) => time === 'calm'),
  })
  if (options.settingsProblem !== undefined) navigator.notice({ id: 'settings', message: options.settingsProblem })
  live.lookedAtAll.then(rowsAreThere.resolve, rowsAreThere.resolve)
  void calm.then(() => sayIfGitIsMissing(navigator))

  const parts = { ...options, tree, navigator, home, live, creations: createCreations() }
  return {
    handlers: import('./calls.ts').then(({ callHandlers }) => callHandlers(parts)),
    lookedAtAll: live.lookedAtAll,
    setActive: (active) => live.setActive(active),
    lookAgain: () => live.lookAgain(),
    async stop() {
      stopping.resolve('stopping')
      navigator.stop()
      await Promise.all([live.stop(), home.close()])
    },
  }
}

/** Said once, at the start (field fault F19): later each worktree item says it for itself. */
async function sayIfGitIsMissing(navigator: Navigator): Promise<void> {
  if ((await findGit(searchFolders(process.env, USUAL_GIT_FOLDERS))) !== undefined) return
  const message =
    'Git was not found, so no worktrees can be made; everything else works. Install git, then start Treeline again.'
  navigator.notice({ id: 'git', message })
}
