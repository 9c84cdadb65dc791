import { setTimeout } from 'node:timers/promises'
import { fail, ok, type Result } from '../shared/result.ts'
import { toolError } from '../shared/tool-error.ts'
import { connectToOwner } from '../main/gateway/connect-to-owner.ts'
import type { Home } from '../main/gateway/home.ts'
import { ownedHome } from '../main/gateway/owned-home.ts'
import { reachTools } from '../main/gateway/reached-home.ts'
import type { HomePaths } from '../main/session-tree/home-paths.ts'
import { readOwner } from '../main/session-tree/owner-lock.ts'

/** What writes, as the command line reaches it: in the process that owns the home, or in this one. */
export interface ReachedHome {
  readonly home: Pick<Home, 'tools' | 'importDsh' | 'close'>
  /** What was found and mended when this process opened the home, each in a sentence. */
  readonly reports: readonly string[]
}

/** How long a command waits for a home that another command has, or for a window that is just starting, in ms. */
const PATIENCE = 20_000
const PAUSE = 40

/**
 * Reaches the home as the host: through its owner if there is one that listens, else by owning it for this call.
 * Fails with `home_owned` where an owner neither listens nor ends in time, `io_failed`, `cancelled`.
 */
export async function reachAsHost(paths: HomePaths, signal: AbortSignal): Promise<Result<ReachedHome>> {
  const { openHome } = await import('../main/gateway/home-host.ts')
  const end = Date.now() + PATIENCE
  for (;;) {
    const owner = await readOwner(paths.lock)
    const connected = owner && (await connectToOwner(paths, owner))
    if (owner && connected?.ok) return ok({ home: reachTools(connected.value, owner), reports: [] })
    const opened = await openHome({ paths, app: 'command line', serve: false })
    if (opened.ok) return ok({ home: ownedHome(opened.value), reports: opened.value.reports })
    if (opened.error.code !== 'home_owned' || Date.now() > end) return opened
    try {
      await setTimeout(PAUSE, undefined, { signal })
    } catch {
      return fail(toolError('cancelled', 'Cancelled while waiting for another program to let go of the home.'))
    }
  }
}
