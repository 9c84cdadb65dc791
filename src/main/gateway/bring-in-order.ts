import { fail, ok, type Result } from '../../shared/result.ts'
import { parseSessionId } from '../../shared/session-id.ts'
import { toolError } from '../../shared/tool-error.ts'
import type { HomePaths } from '../session-tree/home-paths.ts'
import { sweepUnpublished } from '../session-tree/publish.ts'
import type { SessionTree } from '../session-tree/session-tree.ts'
import { undoIntents } from '../worktrees/pending-intents.ts'
import type { WorktreeProvider } from '../worktrees/worktree-provider.ts'

/**
 * What a new owner of a home does before anything else (design §2.6): removes the halves of sessions that a killed
 * process left, and the worktrees that were made for sessions which never came to be.
 * Fails with `io_failed` where a half session cannot be removed.
 * @returns what the person should know, each in a sentence; nothing where all was in order.
 */
export async function bringInOrder(
  paths: HomePaths,
  tree: SessionTree,
  worktrees: Pick<WorktreeProvider, 'undo'>,
): Promise<Result<readonly string[]>> {
  try {
    await sweepUnpublished(paths.tree)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const message = `What an interrupted creation left in ${paths.tree} cannot be removed: ${reason}. Check the rights of that folder.`
    return fail(toolError('io_failed', message, { path: paths.tree }))
  }
  const { undone, kept } = await undoIntents(paths.pending, worktrees, (id) => isPublished(tree, id))
  const taken = undone.map(
    (id) =>
      `Treeline was interrupted while it made ${id} in a worktree of its own; what was there of both was removed.`,
  )
  return ok([...taken, ...kept.map(({ message }) => message)])
}

/**
 * Whether the session of an intent came to be. A tree that cannot be read says nothing about it: undefined, and then
 * neither its worktree nor its intent is touched.
 */
async function isPublished(tree: SessionTree, id: string): Promise<boolean | undefined> {
  const parsed = parseSessionId(id)
  if (!parsed.ok) return undefined
  const found = await tree.locate(parsed.value)
  if (found.ok) return true
  return found.error.code === 'unknown_session' ? false : undefined
}
