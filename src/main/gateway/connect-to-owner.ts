import { readFile } from 'node:fs/promises'
import { fail, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import type { HomePaths } from '../session-tree/home-paths.ts'
import type { OwnerInfo } from '../session-tree/owner-lock-files.ts'
import { readOwner } from '../session-tree/owner-lock.ts'
import { connectToTools, type ToolConnection } from './tool-client.ts'

/**
 * Connects to the process that owns the home, as the host: with the token only this user can read.
 * Fails with `owner_unreachable` where nobody owns it, or the owner does not listen (yet), or is gone; `not_authorized` where
 * the token is another start's.
 * @param known the owner, where it is known already.
 */
export async function connectToOwner(paths: HomePaths, known?: OwnerInfo): Promise<Result<ToolConnection>> {
  const owner = known ?? (await readOwner(paths.lock))
  if (!owner?.socket) {
    const message = owner
      ? `The program that owns ${paths.home} (process ${owner.pid}) does not take calls. Wait until it is done, then try again.`
      : `No program owns ${paths.home} at this moment.`
    return fail(toolError('owner_unreachable', message, { path: paths.home }))
  }
  try {
    return await connectToTools(owner.socket, (await readFile(paths.hostToken, 'utf8')).trim())
  } catch (error) {
    const message = `The key to the Treeline that owns ${paths.home} cannot be read: ${error instanceof Error ? error.message : String(error)}. Run this as the same user.`
    return fail(toolError('owner_unreachable', message, { path: paths.hostToken }))
  }
}
