import type { SessionId } from '../../shared/session-id.ts'

/** Who invokes a tool (design §4). The host acts for a session by `as`, beside the request and never in it. */
export type Caller =
  | { readonly kind: 'host'; readonly as?: SessionId }
  | { readonly kind: 'session'; readonly id: SessionId }
