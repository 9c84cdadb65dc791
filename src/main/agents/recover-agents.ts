import { ok, type Result } from '../../shared/result.ts'
import type { SessionTree } from '../session-tree/session-tree.ts'
import { endLeftAgents, type LeftAgent } from './agent-records.ts'
import { closeOpenEnd, readOpenEnd } from './open-end.ts'

/**
 * What a new owner of a home does about agents before anything else (design §7): ends those that outlived a killed owner, and
 * closes the turns they were in, as DSH closes them. Only turns that an agent of ours ran are closed: imported and foreign
 * logs stay as they are. Nothing is run again; a message that was not claimed still waits.
 * @param recordsFolder `HomePaths.agents`.
 * @returns what a person should know, each in a sentence.
 */
export async function recoverAgents(parts: {
  readonly tree: SessionTree
  readonly recordsFolder: string
}): Promise<readonly string[]> {
  const { left, reports } = await endLeftAgents(parts.recordsFolder)
  const closed: string[] = []
  for (const agent of left) {
    const sentence = await recoverSession(parts.tree, agent)
    if (sentence !== undefined) closed.push(sentence)
  }
  return [...reports, ...closed]
}

async function recoverSession(tree: SessionTree, agent: LeftAgent): Promise<string | undefined> {
  const { session } = agent
  const recovered = await closeOwnTurn(tree, session)
  if (recovered.ok) {
    await agent.forget()
    return recovered.value ? `The agent of ${session} was interrupted in the middle of a turn.` : undefined
  }
  // A log that is gone needs no closing. With any other the record stays, and the next owner tries again.
  if (recovered.error.code === 'unknown_session' || recovered.error.code === 'log_missing') await agent.forget()
  return `The interrupted turn of ${session} could not be closed. ${recovered.error.message}`
}

/** @returns true if a turn was closed. */
async function closeOwnTurn(tree: SessionTree, session: LeftAgent['session']): Promise<Result<boolean>> {
  const end = await readOpenEnd(tree, session)
  if (!end.ok) return end
  if (!end.value?.isOwn) return ok(false)
  const closed = await closeOpenEnd(tree, session, end.value)
  return closed.ok ? ok(true) : closed
}
