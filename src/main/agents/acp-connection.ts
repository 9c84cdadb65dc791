import { client, methods, ndJsonStream, type AnyMessage, type ClientContext } from '@agentclientprotocol/sdk/unstable'
import { fieldsOf, type Fields } from './fields.ts'
import type { PermissionOutcome } from './acp-permission.ts'
import type { AcpProcess } from './acp-process.ts'
import { maskingStream } from './masking.ts'

/** What an agent says of itself, in the order in which it says it. */
export interface AcpListener {
  /** @param session the agent's own id of the session it is about. */
  update(session: unknown, update: Fields): void
  /** A notification that is not known. */
  notice(method: string, params: unknown): void
  permission(request: Fields, signal: AbortSignal): Promise<PermissionOutcome>
}

export interface AcpConnection {
  readonly agent: ClientContext
  /** Resolves once the connection is closed, with what broke it, if something did. */
  readonly closed: Promise<Error | undefined>
  readonly isOpen: () => boolean
  close(): void
}

/** A message that is larger ends the connection: nothing sound is that large, and it would be held in memory whole. */
const MOST_MESSAGE_BYTES = 16 * 1024 * 1024

/**
 * Speaks ACP with a process. Everything that comes is read at once, and secrets in it are masked before anything else is done
 * with it: what is cut later must not show half of one. A message's pieces may still hold parts of a secret, each.
 */
export function connectTo(
  { input, output }: Pick<AcpProcess, 'input' | 'output'>,
  listener: AcpListener,
  secrets: readonly string[],
): AcpConnection {
  const stream = ndJsonStream(input, output.pipeThrough(maskingStream(secrets)), {
    maxMessageBytes: MOST_MESSAGE_BYTES,
  })
  const connection = client({ name: 'treeline' })
    .onRequest(methods.client.session.requestPermission, fieldsOf, async ({ params, signal }) => ({
      outcome: await listener.permission(params, signal),
    }))
    .onNotification('*', ({ method, params }) => {
      if (!method.startsWith('$/')) listener.notice(method, params)
    })
    .connect({ writable: stream.writable, readable: stream.readable.pipeThrough(updatesTo(listener)) })
  return {
    agent: connection.agent,
    closed: connection.closed.then(() => {
      const reason: unknown = connection.signal.reason
      return reason instanceof Error ? reason : undefined
    }),
    isOpen: () => !connection.signal.aborted,
    close: () => connection.close(),
  }
}

/**
 * Takes the updates out of what comes. The SDK would refuse those it does not know, and hand the others on only after the
 * answer that follows them; here they are told in their order.
 */
function updatesTo(listener: AcpListener): TransformStream<AnyMessage, AnyMessage> {
  return new TransformStream({
    transform(message, controller) {
      const { method, id, params } = fieldsOf(message)
      if (method !== methods.client.session.update || id !== undefined) {
        controller.enqueue(message)
        return
      }
      const { sessionId, update } = fieldsOf(params)
      listener.update(sessionId, fieldsOf(update))
    },
  })
}
