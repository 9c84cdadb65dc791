import { watchTree, type TreeChange } from '../tree-watcher.ts'
import type { SessionId } from '../../../shared/session-id.ts'

/*
 * A watcher in a process of its own, for tests that need another system around it: `node -r <preload>
 * watcher-process.ts <root>`. It watches as a window in front would, every row visible and the first one open, with a thread that
 * sweeps.
 */

export type Told = { readonly change: TreeChange } | { readonly notice: string } | { readonly isReady: true }

const [root = ''] = process.argv.slice(2)
const ids: SessionId[] = []

const watcher = watchTree(
  { root },
  {
    onChange(change) {
      ids.push(...change.added.map((seen) => seen.place.id))
      tell({ change })
    },
    onNotice: (notice) => tell({ notice }),
    sweepThread: new URL('../sweep-worker.ts', import.meta.url),
    onThreadLost(error) {
      throw error
    },
  },
)

await watcher.refresh()
watcher.setVisible(ids)
watcher.setOpen(ids[0] ?? null)
watcher.setActive(true)
await watcher.refresh()
tell({ isReady: true })

function tell(told: Told): void {
  process.send?.(told)
}
