import * as z from 'zod/mini'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import type { SessionTree } from '../session-tree/session-tree.ts'
import { hostCaller, type Caller } from '../tools/caller.ts'
import { parseRequest } from '../tools/parse-request.ts'
import { listSessions } from '../tools/session-list.ts'
import type { ToolOptions } from '../tools/tool-options.ts'
import type { Tools } from '../tools/tools.ts'
import type { ImportDsh } from './import-call.ts'
import type { CallContext, Methods } from './tool-connection.ts'

/** The host acts for a session by `as`, beside the request and never in it (design §4). */
const toolParams = z.strictObject({ request: z.optional(z.unknown()), as: z.optional(z.unknown()) })
const listParams = z.strictObject({})
const importParams = z.strictObject({ folders: z.optional(z.array(z.string())) })

/** What the tool socket answers: the three tools for every caller, and two calls for the host alone. */
export function toolMethods(parts: {
  readonly tree: SessionTree
  readonly tools: Tools
  readonly importDsh: ImportDsh
}): Methods {
  const { tree, tools, importDsh } = parts
  return {
    session_create: (params, context) =>
      asked('session_create', params, context, (request, caller) =>
        tools.session_create(request, caller, optionsOf(context)),
      ),
    session_status: (params, context) =>
      asked('session_status', params, context, (request, caller) => tools.session_status(request, caller)),
    session_send: (params, context) =>
      asked('session_send', params, context, (request, caller) =>
        tools.session_send(request, caller, optionsOf(context)),
      ),
    async session_list(params, { caller }) {
      const parsed = forHost('session_list', listParams, params, caller)
      return parsed.ok ? ok({ sessions: await listSessions(tree) }) : parsed
    },
    async import_dsh(params, { caller, signal, progress }) {
      const parsed = forHost('import_dsh', importParams, params, caller)
      if (!parsed.ok) return parsed
      const { folders } = parsed.value
      return importDsh({ ...(folders && { folders }), signal, onProgress: progress })
    },
  }
}

async function asked<Value>(
  name: string,
  params: Readonly<Record<string, unknown>>,
  { caller }: CallContext,
  tool: (request: unknown, caller: Caller) => Promise<Result<Value>>,
): Promise<Result<Value>> {
  const parsed = parseRequest(toolParams, name, params)
  if (!parsed.ok) return parsed
  const { request, as } = parsed.value
  if (caller.kind === 'session') {
    if (as === undefined) return tool(request, caller)
    const message = `You are ${caller.id}, as your token says, and cannot act for another session.`
    return fail(toolError('not_allowed', message, { field: 'as' }))
  }
  const host = hostCaller(as)
  return host.ok ? tool(request, host.value) : host
}

function forHost<Schema extends z.ZodMiniObject>(
  name: string,
  schema: Schema,
  params: unknown,
  caller: Caller,
): Result<z.output<Schema>> {
  if (caller.kind === 'host') return parseRequest(schema, name, params)
  return fail(toolError('not_allowed', `${name} is for the person at this computer, not for sessions.`))
}

function optionsOf({ signal, progress, warning }: CallContext): ToolOptions {
  return { signal, onProgress: (sentence) => progress({ sentence }), onWarning: warning }
}
