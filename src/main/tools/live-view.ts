import { parseSessionId } from '../../shared/session-id.ts'
import type { SessionStatus, SessionTreeView } from '../../shared/tools.ts'
import type { AgentHost } from '../agents/agent.ts'

/** What the tools look up about live agents. */
export type LiveAgents = Pick<AgentHost, 'status'>

/**
 * A view of the tree with what is known of live agents (spec §3.4): a session whose agent works is `running`, one whose
 * agent waits is `idle`, and one without keeps what its log says. One that waits for room has no agent yet.
 */
export function withLiveAgents(view: SessionTreeView, agents: LiveAgents | undefined): SessionTreeView {
  return agents ? overlaid(view, agents) : view
}

function overlaid(view: SessionTreeView, agents: LiveAgents): SessionTreeView {
  const status = liveStatus(view, agents)
  return {
    ...view,
    ...(status && { status }),
    forks: view.forks.map((fork) => overlaid(fork, agents)),
    subagents: view.subagents.map((subagent) => overlaid(subagent, agents)),
  }
}

function liveStatus({ session_id }: SessionTreeView, agents: LiveAgents): SessionStatus | undefined {
  const id = parseSessionId(session_id)
  const live = id.ok ? agents.status(id.value) : undefined
  return live && live.state !== 'queued' ? live.state : undefined
}
