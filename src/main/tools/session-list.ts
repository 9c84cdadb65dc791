import type { SessionTreeView } from '../../shared/tools.ts'
import type { SessionTree } from '../session-tree/session-tree.ts'
import { withLiveAgents, type LiveAgents } from './live-view.ts'

/** How many trees are read at once: enough to keep the disk busy, too few to run out of open files. */
const AT_ONCE = 16

/**
 * The view of every main, as the host lists them; no agent gets this. A main that goes away meanwhile is left out, an odd
 * one is in it with status `failed`. Only looks.
 * @param agents the live ones, where this process has them.
 */
export async function listSessions(tree: SessionTree, agents?: LiveAgents): Promise<readonly SessionTreeView[]> {
  const mains = await tree.mains()
  const views: (SessionTreeView | undefined)[] = Array.from({ length: mains.length })
  const places = mains.entries()
  const work = async () => {
    for (const [index, place] of places) {
      const view = await tree.view(place.id)
      if (view.ok) views[index] = withLiveAgents(view.value, agents)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return views.filter((view) => view !== undefined)
}
