import { v7 } from 'uuid'
import type { SessionId } from '../../shared/session-id.ts'

/** A new id, sortable by creation time: `session-<uuidv7>` (design §3). */
export function newSessionId(): SessionId {
  return `session-${v7()}` as SessionId
}
