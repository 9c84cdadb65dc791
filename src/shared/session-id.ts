import { fail, ok, type Result } from './result.ts'
import { toolError } from './tool-error.ts'

declare const sessionIdBrand: unique symbol

/** A session id that is safe as a directory name. Made only by {@link parseSessionId}. */
export type SessionId = string & { readonly [sessionIdBrand]: true }

/** What DSH writes and what we make, and nothing else (design §3). */
const SESSION_ID = /^(?:session-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$|^session-[0-9]{1,15}$/

/**
 * Reads a session id from anything. Checked before any path is built (field fault F08); values that are not text are
 * refused, not converted.
 * @returns the id, or `invalid_session_id` with `field`.
 */
export function parseSessionId(value: unknown, field = 'session_id'): Result<SessionId> {
  if (isSessionId(value)) return ok(value)
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : `a value of type ${typeof value}`
  return fail(
    toolError(
      'invalid_session_id',
      `${shown} is not a session id. Use an id as session_status gives it, such as session-0f080000-0000-4000-8000-000000000008.`,
      { field },
    ),
  )
}

function isSessionId(value: unknown): value is SessionId {
  return typeof value === 'string' && SESSION_ID.test(value)
}
