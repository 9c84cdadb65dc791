import * as z from 'zod/mini'
import { ok, type Result } from '../../shared/result.ts'
import { parseSessionId, type SessionId } from '../../shared/session-id.ts'
import type { AgentHost } from '../agents/agent.ts'
import type { Budgets } from '../agents/budget.ts'
import type { SessionTree } from '../session-tree/session-tree.ts'
import { renameSession } from '../tools/session-rename.ts'
import { forHost } from './for-host.ts'
import type { Methods } from './tool-connection.ts'
import type { LiveChange } from './tool-protocol.ts'

const noParams = z.strictObject({})
const session = z.strictObject({ session_id: z.unknown() })
const answer = z.strictObject({ session_id: z.unknown(), request_id: z.string(), option_id: z.string() })
const withdrawal = z.strictObject({ session_id: z.unknown(), message_id: z.string() })
const budget = z.strictObject({ session_id: z.unknown(), limit: z.int().check(z.positive()) })
const renaming = z.strictObject({ session_id: z.unknown(), title: z.unknown() })

/** What a window needs that has no home of its own: who works, and the person's hand on it. For the host alone. */
interface LiveMethods {
  readonly methods: Methods
  /** Listens no more. */
  stop(): void
}

/**
 * - `live_status {}` → `{sessions: LiveChange[]}`, everything that is known of live agents now; from then on each change
 *   comes as a `live` notification, until the connection ends.
 * - `wake`, `interrupt`, `stop {session_id}` → null. `answer {session_id, request_id, option_id}` → `{answered}`, false where
 *   it is no longer asked. `withdraw {session_id, message_id}` → null. `rename {session_id, title}` → null.
 *   `change_budget {session_id, limit}` fails always, as a limit is set once; an attempt to raise it is recorded.
 */
export function liveMethods(agents: AgentHost, tree: SessionTree, budgets: Pick<Budgets, 'refuseRaise'>): LiveMethods {
  const known = new Set<SessionId>()
  const stop = agents.onChange((id) => {
    if (agents.status(id) || agents.trouble(id)) known.add(id)
    else known.delete(id)
  })

  const changeOf = (id: SessionId): LiveChange => {
    const trouble = agents.trouble(id)
    return { session_id: id, status: agents.status(id) ?? null, ...(trouble && { trouble }) }
  }

  const methods: Methods = {
    async live_status(params, { caller, notify, ended }) {
      const parsed = forHost('live_status', noParams, params, caller)
      if (!parsed.ok) return parsed
      const unsubscribe = agents.onChange((id) => notify('live', changeOf(id)))
      if (ended.aborted) unsubscribe()
      else ended.addEventListener('abort', unsubscribe, { once: true })
      return ok({ sessions: [...known].map(changeOf) })
    },
    async wake(params, { caller }) {
      const parsed = forHost('wake', session, params, caller)
      if (!parsed.ok) return parsed
      return steer(parsed.value.session_id, async (id) => {
        agents.wake(id)
        return ok(null)
      })
    },
    async interrupt(params, { caller }) {
      const parsed = forHost('interrupt', session, params, caller)
      if (!parsed.ok) return parsed
      return steer(parsed.value.session_id, async (id) => {
        await agents.interrupt(id)
        return ok(null)
      })
    },
    async stop(params, { caller }) {
      const parsed = forHost('stop', session, params, caller)
      if (!parsed.ok) return parsed
      return steer(parsed.value.session_id, async (id) => {
        await agents.stop(id)
        return ok(null)
      })
    },
    async answer(params, { caller }) {
      const parsed = forHost('answer', answer, params, caller)
      if (!parsed.ok) return parsed
      const { session_id, request_id, option_id } = parsed.value
      return steer(session_id, async (id) => ok({ answered: agents.answer(id, request_id, option_id) }))
    },
    async withdraw(params, { caller }) {
      const parsed = forHost('withdraw', withdrawal, params, caller)
      if (!parsed.ok) return parsed
      const { session_id, message_id } = parsed.value
      return steer(session_id, async (id) => {
        const withdrawn = await agents.withdraw(id, message_id)
        return withdrawn.ok ? ok(null) : withdrawn
      })
    },
    async change_budget(params, { caller }) {
      const parsed = forHost('change_budget', budget, params, caller)
      if (!parsed.ok) return parsed
      const { session_id, limit } = parsed.value
      return steer(session_id, (id) => budgets.refuseRaise(id, limit))
    },
    async rename(params, { caller }) {
      const parsed = forHost('rename', renaming, params, caller)
      return parsed.ok ? renameSession(tree, parsed.value.session_id, parsed.value.title) : parsed
    },
  }
  return { methods, stop }
}

/** Does something to the session that was named. Fails with `invalid_session_id`, or as `work` does. */
async function steer(given: unknown, work: (id: SessionId) => Promise<Result<unknown>>): Promise<Result<unknown>> {
  const id = parseSessionId(given)
  return id.ok ? work(id.value) : id
}
