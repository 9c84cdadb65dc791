import * as z from 'zod/mini'
import { parseSessionId, type SessionId } from '../../shared/session-id.ts'
import { ERROR_CODES, toolError, type ToolError } from '../../shared/tool-error.ts'
import type { LiveStatus } from '../agents/agent.ts'

/**
 * What the two ends of the tool socket say to each other: JSON-RPC 2.0, one message a line. The first request of a
 * connection is `authenticate`; `docs/security.md` says what that is worth.
 *
 * Methods: `session_create`, `session_status` and `session_send` `{request, as?}` for every caller (`as`, and for a creation
 * `id` and `budget`, from the host only); for the host `ping`, `session_list`, `import_dsh`, and where agents run
 * `live_status`, `wake`, `interrupt`, `stop`, `answer`, `withdraw`, `rename`, `change_budget`. Notifications to the owner:
 * `cancel {id}`. From the owner, about a call: `progress` and `warning`; after `live_status`, about agents: `live` with a
 * {@link LiveChange}.
 */

/** Raised when an older client could misunderstand the answers. */
export const PROTOCOL = 1

/** Every request the schemas accept fits, also a prompt of the full length whose every letter is escaped. */
export const LONGEST_REQUEST = 8 * 1024 * 1024

/** Answers hold whole trees: bounded only by what a text can be. */
export const LONGEST_ANSWER = 256 * 1024 * 1024

/** JSON-RPC's own codes, and one of ours for a ToolError, which is then in `data`. */
export const RPC = { parse: -32700, invalid: -32600, unknownMethod: -32601, tool: -32000 } as const

const requestId = z.union([z.string(), z.number()])

export type RequestId = z.infer<typeof requestId>

/** What `authenticate` is answered: one of another version is not understood. */
export const greeting = z.object({ protocol: z.literal(PROTOCOL) })

/** What a server takes. Without an id it is a notification and gets no answer. */
export const incomingCall = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.optional(requestId),
  method: z.string(),
  params: z.optional(z.record(z.string(), z.unknown())),
})

const permissionOption = z.object({
  id: z.string(),
  label: z.string(),
  kind: z.enum(['allow', 'allow_always', 'reject', 'other']),
})

const liveStatus = z.object({
  state: z.enum(['running', 'idle', 'queued']),
  requests: z.array(
    z.object({
      id: z.string(),
      sessionId: z.string(),
      title: z.string(),
      detail: z.optional(z.string()),
      options: z.array(permissionOption),
    }),
  ),
  since: z.optional(z.number()),
})

/** What is known of one session's agent, after a change: no status, where there is no agent (any more). */
export interface LiveChange {
  readonly session_id: SessionId
  readonly status: LiveStatus | null
  /** Why the message that waits first is not taken. */
  readonly trouble?: ToolError
}

/** A change as it came over the socket; undefined where it is of another shape. */
export function parseLiveChange(value: unknown): LiveChange | undefined {
  const parsed = liveChange.safeParse(value)
  const id = parsed.success ? parseSessionId(parsed.data.session_id) : undefined
  if (!parsed.success || !id?.ok) return undefined
  const { status, trouble } = parsed.data
  if (status !== null && !isLiveStatus(status)) return undefined
  return {
    session_id: id.value,
    status,
    ...(trouble !== undefined && { trouble: parseToolError(trouble, 'Something is wrong with this agent.') }),
  }
}

const liveChange = z.object({ session_id: z.string(), status: z.unknown(), trouble: z.optional(z.unknown()) })

function isLiveStatus(value: unknown): value is LiveStatus {
  return liveStatus.safeParse(value).success
}

/** What the owner says outside any call. */
export type Notification = 'live'

/** What a client takes: an answer to one of its calls, news about one that runs, or about agents. */
export const incomingAnswer = z.union([
  z.object({ jsonrpc: z.literal('2.0'), id: requestId, result: z.unknown() }),
  z.object({
    jsonrpc: z.literal('2.0'),
    id: z.nullable(requestId),
    error: z.object({ message: z.string(), data: z.optional(z.unknown()) }),
  }),
  z.object({
    jsonrpc: z.literal('2.0'),
    method: z.enum(['progress', 'warning']),
    params: z.object({
      id: requestId,
      sentence: z.string(),
      done: z.optional(z.number()),
      total: z.optional(z.number()),
    }),
  }),
  z.object({ jsonrpc: z.literal('2.0'), method: z.literal('live'), params: z.unknown() }),
])

/** News about a running call. `done` and `total` count what the work is made of, where it is countable. */
export interface Progress {
  readonly sentence: string
  readonly done?: number
  readonly total?: number
}

const wireError = z.object({
  code: z.enum(ERROR_CODES),
  message: z.string(),
  field: z.optional(z.string()),
  path: z.optional(z.string()),
})

/** A ToolError as it came over the socket; `internal` with the message where the other end says something unknown. */
export function parseToolError(data: unknown, message: string): ToolError {
  const parsed = wireError.safeParse(data)
  if (!parsed.success) return toolError('internal', message)
  const { code, field, path } = parsed.data
  return toolError(code, parsed.data.message, {
    ...(field !== undefined && { field }),
    ...(path !== undefined && { path }),
  })
}
