import { fail, ok } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import type { AgentHost } from '../agents/agent.ts'
import { renameSession } from '../tools/session-rename.ts'
import type { AgentControl, Home } from './home.ts'
import type { HomeHost } from './home-host.ts'

/** The home that this process owns, for the person at it. */
export function ownedHome(host: HomeHost): Home {
  const { tree, tools, agents, budgets, importDsh } = host
  return {
    tools,
    ...(agents && { agents: controlOf(agents) }),
    budgets,
    rename: (id, title) => renameSession(tree, id, title),
    importDsh,
    close: () => host.close(),
  }
}

function controlOf(agents: AgentHost): AgentControl {
  return {
    status: (id) => agents.status(id),
    trouble: (id) => agents.trouble(id),
    onChange: (listener) => agents.onChange(listener),
    async wake(id) {
      agents.wake(id)
      return ok(null)
    },
    async interrupt(id) {
      await agents.interrupt(id)
      return ok(null)
    },
    async stop(id) {
      await agents.stop(id)
      return ok(null)
    },
    async answer(id, requestId, optionId) {
      if (agents.answer(id, requestId, optionId)) return ok(null)
      return fail(toolError('invalid_request', 'The agent does not ask this any more.', { field: 'request_id' }))
    },
    async withdraw(id, messageId) {
      const withdrawn = await agents.withdraw(id, messageId)
      return withdrawn.ok ? ok(null) : withdrawn
    },
  }
}
