import type * as z from 'zod/mini'
import { fail, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import type { Caller } from '../tools/caller.ts'
import { parseRequest } from '../tools/parse-request.ts'

/** The parameters of a call that only the host may make, parsed. Fails with `not_allowed` or `invalid_request`. */
export function forHost<Schema extends z.ZodMiniObject>(
  name: string,
  schema: Schema,
  params: unknown,
  caller: Caller,
): Result<z.output<Schema>> {
  if (caller.kind === 'host') return parseRequest(schema, name, params)
  return fail(toolError('not_allowed', `${name} is for the person at this computer, not for sessions.`))
}
