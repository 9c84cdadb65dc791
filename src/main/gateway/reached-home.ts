import * as z from 'zod/mini'
import type { ImportReport } from '../../shared/bridge.ts'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import type { SessionCreateResult, SessionSendResult } from '../../shared/tools.ts'
import type { OwnerInfo, OwningApp } from '../session-tree/owner-lock-files.ts'
import { watchOwner } from './owner-watch.ts'
import { reachAgents } from './reached-agents.ts'
import type { Home } from './home.ts'
import type { CallOptions, ToolConnection } from './tool-client.ts'
import type { ToolOptions } from '../tools/tool-options.ts'

/** What writes in a home that another process owns; the agents that are live there are known to `reachHome` alone. */
type ReachedTools = Omit<Home, 'agents' | 'ownedBy'> & { readonly ownedBy: string }

/**
 * The home of another process, through a connection to it as the host, and its agents. Fails with `owner_unreachable` where
 * that process goes at once.
 */
export async function reachHome(connection: ToolConnection, owner: OwnerInfo): Promise<Result<Home>> {
  const tools = reachTools(connection, owner)
  const agents = await reachAgents(connection, inWords(connection, tools.ownedBy))
  if (!agents.ok) return agents
  void watchOwner(connection)
  return ok({ ...tools, ...(agents.value && { agents: agents.value }) })
}

/**
 * The home of another process, for who does not ask what its agents do. Everything in it fails with `owner_unreachable`, in
 * words, once that process is gone, also in the middle of a call.
 */
export function reachTools(connection: ToolConnection, owner: OwnerInfo): ReachedTools {
  const ownedBy = programOf(owner)
  const call = inWords(connection, ownedBy)
  return {
    ownedBy,
    tools: {
      session_create: async (request, { as }, options = {}) => {
        const params = { request, ...(as && { as }), ...besideCreation(options) }
        return understood(await call('session_create', params, overCall(options)), isCreated)
      },
      session_send: async (request, { as }, options = {}) =>
        understood(await call('session_send', { request, ...(as && { as }) }, overCall(options)), isSent),
    },
    budgets: {
      async refuseRaise(id, asked) {
        const refused = await call('change_budget', { session_id: id, limit: asked })
        return refused.ok ? notUnderstood() : refused
      },
    },
    async rename(id, title) {
      const renamed = await call('rename', { session_id: id, title })
      return renamed.ok ? ok(null) : renamed
    },
    async importDsh({ folders, signal, onProgress }) {
      const report = await call('import_dsh', folders ? { folders } : {}, {
        ...(signal && { signal }),
        onProgress: ({ sentence, done, total }) => {
          if (done !== undefined && total !== undefined) onProgress?.({ sentence, done, total })
        },
      })
      return understood(report, isReport)
    },
    ended: connection.ended,
    async close() {
      connection.close()
    },
  }
}

function inWords(connection: ToolConnection, ownedBy: string): ToolConnection['call'] {
  return async (method, params, options) => {
    const answer = await connection.call(method, params, options)
    if (answer.ok || answer.error.code !== 'owner_unreachable') return answer
    const message = `${ownedBy} ended, or does not answer any more, so whether this was done is not known. Look at the session, then try again.`
    return fail(toolError('owner_unreachable', message))
  }
}

function programOf({ app, pid }: OwnerInfo): string {
  return `${PROGRAM[app]} (process ${pid})`
}

const PROGRAM: Readonly<Record<OwningApp, string>> = {
  window: 'The Treeline window',
  'command line': 'A treeline command',
  serve: 'treeline serve',
}

function besideCreation({ sessionId, budget }: ToolOptions): object {
  return { ...(sessionId && { id: sessionId }), ...(budget !== undefined && { budget }) }
}

function overCall({ signal, onProgress, onWarning }: ToolOptions): CallOptions {
  return {
    ...(signal && { signal }),
    ...(onProgress && { onProgress: ({ sentence }) => onProgress(sentence) }),
    ...(onWarning && { onWarning }),
  }
}

const created = z.object({ session_id: z.string(), kind: z.enum(['main', 'fork', 'subagent']), cwd: z.string() })
const sent = z.object({ session_id: z.string(), accepted: z.literal(true) })
const told = z.array(z.object({ session: z.string(), message: z.string() }))
const importReport = z.object({
  found: z.number(),
  imported: z.number(),
  extended: z.number(),
  unchanged: z.number(),
  diverged: told,
  failed: told,
  legacyRoots: told,
  cancelled: z.boolean(),
})

// The owner speaks the same version, as its greeting says: looked at is what the window relies on.
const isCreated = (value: unknown): value is SessionCreateResult => created.safeParse(value).success
const isSent = (value: unknown): value is SessionSendResult => sent.safeParse(value).success
const isReport = (value: unknown): value is ImportReport => importReport.safeParse(value).success

function understood<Value>(answer: Result<unknown>, isValue: (value: unknown) => value is Value): Result<Value> {
  if (!answer.ok) return answer
  return isValue(answer.value) ? ok(answer.value) : notUnderstood()
}

function notUnderstood(): Result<never> {
  return fail(toolError('internal', 'What the Treeline that owns this home answered cannot be understood.'))
}
