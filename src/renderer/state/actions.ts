import type { SessionSummary } from '../../shared/navigator-view.ts'
import type { Result } from '../../shared/result.ts'
import { treeline } from '../bridge.ts'
import { cleanTitle } from '../ui/title.ts'
import { showTitle, useSessions } from './session-store.ts'
import { say } from './toasts.ts'
import { useView } from './view-store.ts'

/** What rows, headers and shortcuts do. Each says in words where it fails. */

/** Opens the log in the editor that was chosen or found. */
export async function openLogInEditor(session_id: string): Promise<void> {
  report(await treeline.navigator.open_log(session_id))
}

/** Shows the log in the system's file manager. */
export async function revealLog(session_id: string): Promise<void> {
  report(await treeline.navigator.reveal_log(session_id))
}

/** Opens a session's native menu, under the pointer (`at`) or the row. */
export async function showSessionMenu(session_id: string, at: { x: number; y: number }): Promise<void> {
  report(await treeline.navigator.show_session_menu(session_id, { x: Math.round(at.x), y: Math.round(at.y) }))
}

/** Copies a text; says so, as nothing else shows it. */
export async function copyText(text: string, said: string): Promise<void> {
  const answer = await treeline.navigator.copy_text(text)
  if (answer.ok) say('done', said)
  else say('failed', answer.error.message)
}

/** Gives a session a title. A blank or unchanged one changes nothing. */
export async function renameSession(session_id: string, typed: string): Promise<void> {
  useView.setState({ renaming: null })
  const title = cleanTitle(typed)
  const before = useSessions.getState().sessions.get(session_id)?.title
  if (title === undefined || title === before) return
  showTitle(session_id, title)
  const answer = await treeline.navigator.rename(session_id, title)
  if (answer.ok) return
  say('failed', answer.error.message)
  showTitle(session_id, before)
}

/** As whom a person writes to a session: its parent; for a main, as nobody but the person. */
export function senderOf(summary: SessionSummary | undefined): string | undefined {
  return summary?.kind === 'main' ? undefined : summary?.parent_session_id
}

/**
 * Sends a message to a session, as its parent where it has one (spec §3.5). Says why where it fails.
 * @returns whether it was accepted
 */
export async function sendMessage(session_id: string, parent: string | undefined, message: string): Promise<boolean> {
  const answer = await treeline.session_send({ session_id, message }, parent === undefined ? undefined : { as: parent })
  if (!answer.ok) say('failed', answer.error.message)
  return answer.ok
}

/** Ends the running turn; one that waits for room is taken out of the line. */
export async function stopSession(session_id: string, isQueued: boolean): Promise<void> {
  report(await (isQueued ? treeline.navigator.stop(session_id) : treeline.navigator.interrupt(session_id)))
}

/** Tries what waits in the inbox once more. */
export async function startWaiting(session_id: string): Promise<void> {
  report(await treeline.navigator.wake(session_id))
}

/** Takes a message back before an agent has it. */
export async function withdrawMessage(session_id: string, message_id: string): Promise<void> {
  report(await treeline.navigator.withdraw(session_id, message_id))
}

/** Opens the fork dialog for a main; for anything else, says why not. */
export function askToFork(session_id: string, worktree: boolean): void {
  const reason = whyNoFork(session_id)
  if (reason === null) useView.setState({ forking: { session_id, worktree } })
  else say('failed', reason)
}

/** Why a session cannot be forked, or null. Only mains can (spec §2.1). */
export function whyNoFork(session_id: string): string | null {
  const session = useSessions.getState().sessions.get(session_id)
  if (session?.kind === 'main') return session.problem ? 'This session cannot be read, so it cannot be forked.' : null
  return session?.kind === 'fork'
    ? 'A fork cannot be forked. Fork its main session instead.'
    : 'A subagent cannot be forked. Only main sessions can.'
}

function report(answer: Result<null>): void {
  if (!answer.ok) say('failed', answer.error.message)
}
