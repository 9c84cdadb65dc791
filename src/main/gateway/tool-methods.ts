import * as z from 'zod/mini'
import { fail, ok, type Result } from '../../shared/result.ts'
import { parseSessionId } from '../../shared/session-id.ts'
import { toolError } from '../../shared/tool-error.ts'
import type { SessionTree } from '../session-tree/session-tree.ts'
import { hostCaller, type Caller } from '../tools/caller.ts'
import type { LiveAgents } from '../tools/live-view.ts'
import { parseRequest } from '../tools/parse-request.ts'
import { listSessions } from '../tools/session-list.ts'
import type { ToolOptions } from '../tools/tool-options.ts'
import type { Tools } from '../tools/tools.ts'
import { createCallLimits, type CallLimits } from './call-limits.ts'
import { forHost } from './for-host.ts'
import type { ImportDsh } from './import-call.ts'
import type { CallContext, Methods } from './tool-connection.ts'

/**
 * The host acts for a session by `as`, beside the request and never in it (design §4). What else stands there is the host's
 * as well: a creation's promised id and its budget in tokens.
 */
const toolParams = z.strictObject({ request: z.optional(z.unknown()), as: z.optional(z.unknown()) })
const createParams = z.extend(toolParams, {
  id: z.optional(z.unknown()),
  budget: z.optional(z.int().check(z.positive())),
})
const noParams = z.strictObject({})
const importParams = z.strictObject({ folders: z.optional(z.array(z.string())) })

type ToolParams = z.infer<typeof createParams>

/** What the tool socket answers: the three tools for every caller, and what is for the host alone. */
export function toolMethods(parts: {
  readonly tree: SessionTree
  readonly tools: Tools
  readonly importDsh: ImportDsh
  /** The live ones, for `session_list`. */
  readonly agents?: LiveAgents | undefined
  readonly limits?: CallLimits
}): Methods {
  const { tree, tools, importDsh, agents, limits = createCallLimits() } = parts

  async function asked<Value>(
    name: string,
    params: Readonly<Record<string, unknown>>,
    { caller }: CallContext,
    tool: (params: ToolParams, caller: Caller) => Promise<Result<Value>>,
  ): Promise<Result<Value>> {
    const parsed = parseRequest(name === 'session_create' ? createParams : toolParams, name, params)
    if (!parsed.ok) return parsed
    if (caller.kind === 'host') {
      const host = hostCaller(parsed.value.as)
      return host.ok ? tool(parsed.value, host.value) : host
    }
    const field = Object.keys(parsed.value).find((key) => key !== 'request')
    if (field !== undefined) {
      const message = `You are ${caller.id}, as your token says, and cannot act for another session. Leave ${field} out.`
      return fail(toolError('not_allowed', message, { field }))
    }
    const taken = limits.take(caller.id)
    if (!taken.ok) return taken
    try {
      return await tool(parsed.value, caller)
    } finally {
      taken.value()
    }
  }

  return {
    session_create: (params, context) =>
      asked('session_create', params, context, async ({ request, id, budget }, caller) => {
        const promised = id === undefined ? undefined : parseSessionId(id, 'id')
        if (promised && !promised.ok) return promised
        return tools.session_create(request, caller, {
          ...optionsOf(context),
          ...(promised && { sessionId: promised.value }),
          ...(budget !== undefined && { budget }),
        })
      }),
    session_status: (params, context) =>
      asked('session_status', params, context, ({ request }, caller) => tools.session_status(request, caller)),
    session_send: (params, context) =>
      asked('session_send', params, context, ({ request }, caller) =>
        tools.session_send(request, caller, optionsOf(context)),
      ),
    async ping(params, { caller }) {
      const parsed = forHost('ping', noParams, params, caller)
      return parsed.ok ? ok(null) : parsed
    },
    async session_list(params, { caller }) {
      const parsed = forHost('session_list', noParams, params, caller)
      return parsed.ok ? ok({ sessions: await listSessions(tree, agents) }) : parsed
    },
    async import_dsh(params, { caller, signal, progress }) {
      const parsed = forHost('import_dsh', importParams, params, caller)
      if (!parsed.ok) return parsed
      const { folders } = parsed.value
      return importDsh({ ...(folders && { folders }), signal, onProgress: progress })
    },
  }
}

function optionsOf({ signal, progress, warning }: CallContext): ToolOptions {
  return { signal, onProgress: (sentence) => progress({ sentence }), onWarning: warning }
}
