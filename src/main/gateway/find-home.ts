import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import type { HomePaths } from '../session-tree/home-paths.ts'
import { connectToOwner } from './connect-to-owner.ts'
import type { Home } from './home.ts'
import type { HomeHost, OpenFailure } from './home-host.ts'
import { ownedHome } from './owned-home.ts'
import { reachHome } from './reached-home.ts'

/**
 * The home, owned if it is free, else reached through the process that owns and serves it. Not through a window: a second
 * start on the same home brings that one to the front instead.
 * Fails as `open` does; with `home_owned` also where the owner cannot be reached (yet), and why.
 * @param open takes ownership.
 */
export async function findHome(
  paths: HomePaths,
  open: () => Promise<Result<HomeHost, OpenFailure>>,
): Promise<Result<Home>> {
  const opened = await open()
  if (opened.ok) return ok(ownedHome(opened.value))
  const { owner } = opened.error
  if (owner?.socket === undefined || owner.app === 'window') return opened
  const connected = await connectToOwner(paths, owner)
  const reached = connected.ok ? await reachHome(connected.value, owner) : connected
  if (reached.ok) return reached
  return fail(toolError('home_owned', `${opened.error.message} ${reached.error.message}`, { path: paths.home }))
}
