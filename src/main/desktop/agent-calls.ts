import { homedir } from 'node:os'
import type { SessionWork, WorkDone } from '../../shared/agent-view.ts'
import { fail, ok, type Result } from '../../shared/result.ts'
import type { SessionId } from '../../shared/session-id.ts'
import { toolError } from '../../shared/tool-error.ts'
import { createBudgets } from '../agents/budget.ts'
import { textOf, waitingMessages } from '../agents/claim.ts'
import { chooseStart, createPresets } from '../agents/presets.ts'
import { createSessionReader } from '../agents/session-reader.ts'
import type { AgentControl } from '../gateway/home.ts'
import { sessionName } from '../navigator/session-name.ts'
import type { SessionPlace } from '../session-tree/session-tree.ts'
import { readSettings } from '../settings/settings-file.ts'
import { readBudgetView } from './budget-view.ts'
import type { CallHandlers } from './ipc.ts'
import type { Parts } from './parts.ts'
import type { System } from './system.ts'

type AgentCalls = Pick<
  CallHandlers,
  'work' | 'interrupt' | 'stop' | 'wake' | 'answer' | 'withdraw' | 'change_budget' | 'presets' | 'choose_folder'
>

/** What a subagent cost stands anywhere in its log. So many logs, and none longer than this, are read for a list of them. */
const MOST_SUBAGENTS = 200
const LONGEST_LOG = 16 * 1024 * 1024

/** A person's hand on live agents, and what the logs say of their work. */
export function agentCalls(
  parts: Pick<Parts, 'paths' | 'tree' | 'home' | 'navigator'> & { readonly system: Pick<System, 'chooseFolder'> },
): AgentCalls {
  const { paths, tree, home, navigator, system } = parts
  const reader = createSessionReader(tree)
  const budgets = createBudgets(tree, reader, Date.now)
  const presets = createPresets(paths.presets, process.env)

  const steer = async (act: (agents: AgentControl) => Promise<Result<null>>): Promise<Result<null>> => {
    const reached = await home.home()
    if (!reached.ok) return reached
    const { agents } = reached.value
    return agents ? act(agents) : fail(toolError('not_allowed', 'No agents run in this home.'))
  }

  const workIn = async (place: SessionPlace): Promise<Result<WorkDone>> => {
    const read = await reader.read(place.id)
    if (!read.ok) return read
    const { ended, spent, limit } = read.value.state
    const envelope = limit === undefined ? undefined : await budgets.envelope(place)
    return ok({
      tokens: spent,
      ...(ended && { ended: { reason: ended.reason, time: ended.time } }),
      ...(limit !== undefined && { budget: { limit, spent: envelope?.ok ? envelope.value.spent : spent } }),
    })
  }

  const agentOf = async (id: SessionId): Promise<Pick<SessionWork, 'agent' | 'no_agent'>> => {
    const [list, { settings }, entry] = await Promise.all([presets(), readSettings(paths.settings), navigator.look(id)])
    const header = entry.ok ? entry.value.facts.header : undefined
    if (!header) return {}
    const start = chooseStart(list, header, settings.preset ?? undefined)
    return start.ok ? { agent: { id: start.value.id, label: start.value.label } } : { no_agent: start.error.message }
  }

  const nameOf = async (id: SessionId): Promise<string> => {
    const entry = await navigator.look(id)
    return entry.ok ? sessionName(entry.value.facts) : id
  }

  return {
    async work(id) {
      const place = await tree.locate(id)
      if (!place.ok) return place
      const [own, agent] = await Promise.all([workIn(place.value), agentOf(id)])
      if (!own.ok) return own
      const read = await reader.read(id)
      const inbox = read.ok ? waitingMessages(read.value.state.inbox) : []
      const waiting = inbox.map(({ message }) => ({ id: message.id, text: textOf(message).slice(0, 300) }))
      const subagents: Record<string, WorkDone> = {}
      for (const { place: below, facts } of navigator.below(id).slice(0, MOST_SUBAGENTS)) {
        if (facts.problem || (facts.file?.size ?? 0) > LONGEST_LOG) continue
        const done = await workIn(below)
        if (done.ok) subagents[below.id] = done.value
      }
      const budget = await readBudgetView({ reader, budgets, nameOf }, place.value)
      return ok({ ...own.value, ...agent, ...(budget && { budget_view: budget }), waiting, subagents })
    },
    interrupt: (id) => steer((agents) => agents.interrupt(id)),
    stop: (id) => steer((agents) => agents.stop(id)),
    wake: (id) => steer((agents) => agents.wake(id)),
    answer: (id, requestId, optionId) => steer((agents) => agents.answer(id, requestId, optionId)),
    withdraw: (id, messageId) =>
      steer(async (agents) => {
        const withdrawn = await agents.withdraw(id, messageId)
        if (withdrawn.ok) await navigator.look(id)
        return withdrawn
      }),
    async change_budget(id, limit) {
      const reached = await home.home()
      if (!reached.ok) return reached
      const refused = await reached.value.budgets.refuseRaise(id, limit)
      // What was recorded is seen at once.
      await navigator.look(id)
      return refused
    },
    async presets() {
      const [{ presets: known, problems, unusable }, { settings }] = await Promise.all([
        presets(),
        readSettings(paths.settings),
      ])
      return ok({
        presets: known.map(({ id, label, kind, source, model, budget }) => ({
          id,
          label,
          kind,
          source,
          ...(model && { model: `${model.provider}/${model.model}` }),
          ...(budget !== undefined && { budget }),
        })),
        chosen: settings.preset,
        problems: problems.map(({ message }) => message),
        ...(unusable && { unusable }),
      })
    },
    async choose_folder(startAt) {
      return ok((await system.chooseFolder('Choose the folder to work in', startAt ?? homedir())) ?? null)
    },
  }
}
