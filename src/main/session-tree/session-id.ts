import { v7 } from 'uuid'
import { parseSessionId, type SessionId } from '../../shared/session-id.ts'

/** A new id, sortable by creation time: `session-<uuidv7>` (design §3). */
export function newSessionId(): SessionId {
  const id = parseSessionId(`session-${v7()}`)
  if (!id.ok) throw new Error(id.error.message)
  return id.value
}
