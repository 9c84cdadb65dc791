import * as z from 'zod/mini'
import type { Calls } from '../../shared/bridge.ts'
import { fail, ok, type Result } from '../../shared/result.ts'
import { parseSessionId, type SessionId } from '../../shared/session-id.ts'
import { toolError } from '../../shared/tool-error.ts'

// The three tools' own requests are parsed by the tools: their sentences are the better ones.
const LONGEST_TEXT = 1_048_576

const offset = z.int().check(z.nonnegative())
const sessionId = z.custom<SessionId>((value) => parseSessionId(value).ok)
const callName = z.string().check(z.minLength(1), z.maxLength(100))
const text = z.string().check(z.maxLength(LONGEST_TEXT))
/** Ids that agents and logs make up. */
const shortText = z.string().check(z.minLength(1), z.maxLength(1000))
const lineCount = z.int().check(z.positive(), z.maximum(2000))
const asCaller = z.optional(z.strictObject({ as: z.exactOptional(z.string()) }))
const none = z.tuple([])
const oneSession = z.tuple([sessionId])

/** The arguments of every call, as main trusts them after parsing. A change of the table does not compile without one here. */
const ARGUMENTS = {
  session_create: z.tuple([
    z.unknown(),
    z.optional(
      z.strictObject({
        as: z.exactOptional(z.string()),
        call: z.exactOptional(callName),
        budget: z.exactOptional(z.int().check(z.positive())),
      }),
    ),
  ]),
  session_status: z.tuple([z.unknown(), asCaller]),
  session_send: z.tuple([z.unknown(), asCaller]),
  snapshot: none,
  details: oneSession,
  read_log: z.tuple([
    sessionId,
    z.union([
      z.strictObject({ before: z.exactOptional(offset), lines: lineCount }),
      z.strictObject({ after: offset, lines: lineCount }),
    ]),
  ]),
  read_line: z.tuple([sessionId, offset]),
  watch: z.tuple([z.array(sessionId).check(z.maxLength(2000)), z.nullable(sessionId)]),
  fork_preview: z.tuple([
    z.strictObject({
      session_id: sessionId,
      worktree: z.boolean(),
      prompt: text,
      title: z.exactOptional(text),
    }),
  ]),
  cancel: z.tuple([callName]),
  rename: z.tuple([sessionId, text]),
  work: oneSession,
  interrupt: oneSession,
  stop: oneSession,
  wake: oneSession,
  answer: z.tuple([sessionId, shortText, shortText]),
  withdraw: z.tuple([sessionId, shortText]),
  change_budget: z.tuple([sessionId, z.int().check(z.positive())]),
  presets: none,
  choose_folder: z.tuple([z.nullable(text)]),
  show_session_menu: z.tuple([sessionId, z.nullable(z.strictObject({ x: z.number(), y: z.number() }))]),
  open_log: oneSession,
  reveal_log: oneSession,
  copy: z.tuple([sessionId, z.enum(['session_id', 'log_path', 'cwd', 'branch', 'worktree'])]),
  copy_text: z.tuple([text]),
  open_link: z.tuple([z.string().check(z.maxLength(8192))]),
  import_offer: none,
  import_start: z.tuple([z.nullable(z.literal('choose'))]),
  import_cancel: none,
  import_dismiss: none,
  open_sample: none,
  settings: none,
  settings_change: z.tuple([z.unknown()]),
} as const satisfies Record<keyof Calls, z.ZodMiniType>

export type CallArguments = { readonly [Name in keyof Calls]: z.output<(typeof ARGUMENTS)[Name]> }

const BY_NAME: { readonly [Name in keyof Calls]: z.ZodMiniType<CallArguments[Name]> } = ARGUMENTS

/**
 * Parses what the window sent for a call. Fails with `invalid_session_id` where an argument that must be an id is none
 * (field fault F08), else with `invalid_request`; `field` names the argument by its place.
 */
export function parseArguments<Name extends keyof Calls>(
  name: Name,
  values: readonly unknown[],
): Result<CallArguments[Name]> {
  const parsed = BY_NAME[name].safeParse(values)
  if (parsed.success) return ok(parsed.data)
  const issue = parsed.error.issues[0]
  const field = issue === undefined ? name : [name, ...issue.path].map(String).join('.')
  if (issue?.code === 'custom') {
    const value = issue.path.reduce<unknown>((at, key) => property(at, key), values)
    const id = parseSessionId(value, field)
    if (!id.ok) return id
  }
  return fail(toolError('invalid_request', `The window sent ${name} with an argument that does not fit.`, { field }))
}

function property(value: unknown, key: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
}
