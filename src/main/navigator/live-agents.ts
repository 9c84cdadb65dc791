import type { LiveState } from '../../shared/agent-view.ts'
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
 * A session's state with what is known of its agent: `running` while it works, `idle` while it waits, else what the log says
 * (spec §3.4). One that waits for room has no agent yet. Other than the tools the window shows a failure until the next turn:
 * an agent that has only not been ended yet must not hide from a person that the last turn failed.
 */
export function statusNow(facts: Pick<SessionFacts, 'status'>, live: LiveState | undefined): SessionStatus {
  if (live === undefined || live.state === 'queued') return facts.status
  return live.state === 'idle' && facts.status === 'failed' ? 'failed' : live.state
}

/** Whether an agent waits for a person's answer. */
export function asksSomething(live: LiveState | undefined): boolean {
  return live !== undefined && live.requests.length > 0
}
