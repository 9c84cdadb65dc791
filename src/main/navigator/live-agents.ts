import type { LiveState } from '../../shared/bridge.ts'
import type { SessionId } from '../../shared/session-id.ts'
import type { ToolError } from '../../shared/tool-error.ts'
import type { SessionStatus } from '../../shared/tools.ts'
import type { SessionFacts } from '../session-tree/session-tree.ts'

/** What the navigator looks up about live agents. Whoever owns the home has them; the navigator only shows. */
export interface LiveAgents {
  status(id: SessionId): LiveState | undefined
  /** Why the message that waits first is not taken. */
  trouble(id: SessionId): ToolError | undefined
}

export const NO_AGENTS: LiveAgents = { status: () => undefined, trouble: () => undefined }

/**
 * A session's state with what is known of its agent, as the tools tell it (spec §3.4): `running` while it works, `idle`
 * while it waits, else what the log says. One that waits for room has no agent yet.
 */
export function statusNow(facts: Pick<SessionFacts, 'status'>, live: LiveState | undefined): SessionStatus {
  return live === undefined || live.state === 'queued' ? facts.status : live.state
}

/** Whether an agent waits for a person's answer. */
export function asksSomething(live: LiveState | undefined): boolean {
  return live !== undefined && live.requests.length > 0
}
