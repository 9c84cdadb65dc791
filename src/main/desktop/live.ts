import { startCatalog } from '../catalog/live-catalog.ts'
import { openHome } from '../gateway/home-host.ts'
import { createFeed } from '../navigator/feed.ts'
import { createNavigator, type Navigator } from '../navigator/navigator.ts'
import type { HomePaths } from '../session-tree/home-paths.ts'
import { openSessionTree } from '../session-tree/tree-provider.ts'
import { watchTree } from '../session-tree/tree-watcher.ts'
import { readSettings } from '../settings/settings-file.ts'
import { findGit, searchFolders, USUAL_GIT_FOLDERS } from '../worktrees/find-git.ts'
import { createGitWorktrees } from '../worktrees/git-worktrees.ts'
import { callHandlers } from './calls.ts'
import { createCreations } from './creations.ts'
import { accessHome } from './home-access.ts'
import type { CallHandlers } from './ipc.ts'
import type { Report } from './own-log.ts'
import type { LiveUpdates, SampleStart } from './parts.ts'
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
  /** Why settings.json could not be read, if so. */
  readonly settingsProblem: string | undefined
  /** The code of the catalog's thread. */
  readonly workerUrl: URL
  /** Resolves once the window has painted: what is not needed for that is loaded after it. */
  readonly painted: Promise<void>
}

/** Changing between windows again and again must not mean looking again and again. */
const LOOK_AGAIN_MS = 2000

/** Starts to look at the tree at once; the home is asked for, and what needs more code is loaded, after the first paint. */
export function startLive(options: LiveOptions): Live {
  const { paths, system, state, sample, report, painted } = options
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
  const catalog = startCatalog({
    workerUrl: options.workerUrl,
    catalogPath: paths.catalog,
    resources: process.resourcesPath,
    tree,
    onFacts: (facts) => void navigator.put(facts),
    onUnavailable: (error) => report(error.message),
  })
  const feed = createFeed(navigator, (seen) => catalog.factsOf(seen), report)
  const watcher = watchTree(tree, {
    onChange(change) {
      feed.take(change)
      if (change.removed.length > 0) catalog.remove(change.removed)
    },
    onNotice: (message) => navigator.notice({ id: 'slower', message }),
    onFolderProblem: ({ path = '', message }) => navigator.notice({ id: `folder:${path}`, message }),
  })
  let isActive = false
  let lastLook = performance.now()
  let hasSeenAll = false
  const lookAtAll = async (): Promise<void> => {
    await watcher.refresh()
    await feed.settled()
  }
  const first = lookAtAll().then(() => {
    hasSeenAll = true
    catalog.lookedAtAll()
    navigator.complete()
    watcher.setActive(isActive)
  })
  first.catch((error: unknown) => report('The tree could not be looked through.', error))

  const live: LiveUpdates = {
    watch(visible, open) {
      navigator.open(open)
      watcher.setVisible(visible)
      watcher.setOpen(open)
    },
    refresh: lookAtAll,
  }
  if (options.settingsProblem !== undefined) navigator.notice({ id: 'settings', message: options.settingsProblem })
  void painted.then(() => sayIfGitIsMissing(navigator))

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
    setActive(active) {
      isActive = active
      // The first look is under way already; becoming active begins with another one.
      if (hasSeenAll) watcher.setActive(active)
    },
    lookAgain() {
      const now = performance.now()
      if (!hasSeenAll || now - lastLook < LOOK_AGAIN_MS) return
      lastLook = now
      Promise.all([watcher.refresh(), navigator.lookAtFolders()]).catch((error: unknown) =>
        report('The look at everything again failed.', error),
      )
    },
    async stop() {
      watcher.stop()
      feed.stop()
      navigator.stop()
      await Promise.all([home.close(), catalog.stop()])
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
