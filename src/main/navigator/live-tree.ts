import type { LiveCatalog } from '../catalog/live-catalog.ts'
import type { SessionId } from '../../shared/session-id.ts'
import type { SessionFacts, SessionTree } from '../session-tree/session-tree.ts'
import { watchTree } from '../session-tree/tree-watcher.ts'
import { createFactsSource } from './facts-source.ts'
import { createFeed } from './feed.ts'
import type { Navigator } from './navigator.ts'

/** The tree as it is on disk, followed for the navigator. */
export interface LiveTree {
  /** Resolves once every session has been looked at, and the navigator has it. */
  readonly lookedAtAll: Promise<void>
  /** What is on screen and what is open: their changes come first. */
  watch(visible: readonly SessionId[], open: SessionId | null): void
  /** Looks at everything again now; resolves once the navigator has it. */
  refresh(): Promise<void>
  /** True while the window can be seen; nothing is looked at while it cannot. */
  setActive(active: boolean): void
  /** The window came to the front: sessions and folders may have changed meanwhile. Too soon after the last one, nothing. */
  lookAgain(): void
  stop(): Promise<void>
}

export interface LiveTreeOptions {
  readonly tree: SessionTree
  readonly navigator: Navigator
  /** Starts the catalog when its time has come; undefined if it never does. Called once, at the beginning. */
  readonly startCatalog: (onFacts: (facts: SessionFacts) => void) => Promise<LiveCatalog | undefined>
  /** The code of the thread that sweeps; see `watchTree`. */
  readonly sweepThread?: URL
  readonly report: (sentence: string, error?: unknown) => void
}

/** Changing between windows again and again must not mean looking again and again. */
const LOOK_AGAIN_MS = 2000

/** Begins with a look at everything; the navigator is told when that is done. */
export function followTree({ tree, navigator, startCatalog, sweepThread, report }: LiveTreeOptions): LiveTree {
  const source = createFactsSource(tree, (facts) => navigator.put(facts))
  const feed = createFeed(navigator, source.factsOf, report)
  let catalog: LiveCatalog | undefined
  let isActive = false
  let hasSeenAll = false
  let lastLook = performance.now()
  const watcher = watchTree(tree, {
    onChange(change) {
      feed.take(change)
      if (change.removed.length > 0) catalog?.remove(change.removed)
    },
    onNotice: (message) => navigator.notice({ id: 'slower', message }),
    onFolderProblem: ({ path = '', message }) => navigator.notice({ id: `folder:${path}`, message }),
    ...(sweepThread ? { sweepThread } : {}),
    onThreadLost: (error) =>
      report('The thread that looks for changes has ended; they are looked for without it.', error),
  })

  const refresh = async (): Promise<void> => {
    await watcher.refresh()
    await feed.settled()
  }
  const lookedAtAll = refresh().then(() => {
    hasSeenAll = true
    navigator.complete()
    watcher.setActive(isActive)
  })
  const catalogStarted = startCatalog((facts) => void navigator.put(facts))
  const attachCatalog = async (): Promise<void> => {
    catalog = await catalogStarted
    if (catalog) await source.attach(catalog)
  }
  Promise.all([lookedAtAll, attachCatalog()]).then(
    () => catalog?.lookedAtAll(),
    (error: unknown) => report('The tree could not be looked through.', error),
  )

  return {
    lookedAtAll,
    watch(visible, open) {
      navigator.open(open)
      watcher.setVisible(visible)
      watcher.setOpen(open)
    },
    refresh,
    setActive(active) {
      isActive = active
      // The first look is under way already, and becoming active begins with another one.
      if (hasSeenAll) watcher.setActive(active)
    },
    lookAgain() {
      const now = performance.now()
      if (!hasSeenAll || now - lastLook < LOOK_AGAIN_MS) return
      lastLook = now
      Promise.all([watcher.refresh(), navigator.lookAtFolders()]).catch((error: unknown) =>
        report('Sessions and folders could not be looked at again.', error),
      )
    },
    async stop() {
      watcher.stop()
      feed.stop()
      // It may be starting just now.
      await (await catalogStarted)?.stop()
    },
  }
}
