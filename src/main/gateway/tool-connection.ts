import type { Socket } from 'node:net'
import type { Result } from '../../shared/result.ts'
import { toolError, type ToolError } from '../../shared/tool-error.ts'
import type { Caller } from '../tools/caller.ts'
import type { CallerTokens } from './caller-tokens.ts'
import { jsonLines, type JsonLine } from './json-lines.ts'
import {
  incomingCall,
  LONGEST_REQUEST,
  PROTOCOL,
  RPC,
  type Notification,
  type Progress,
  type RequestId,
} from './tool-protocol.ts'

/** What a method is told about the call it answers. */
export interface CallContext {
  readonly caller: Caller
  /** Aborted by the caller's `cancel`, and when its connection or the server ends. */
  readonly signal: AbortSignal
  readonly progress: (progress: Progress) => void
  readonly warning: (sentence: string) => void
  /** Tells the other side something outside any call, until the connection ends. */
  readonly notify: (method: Notification, params: object) => void
  /** Aborted once the connection has ended. */
  readonly ended: AbortSignal
}

const INVALID_TOKEN = 'This token is not valid (any more).'

type Method = (params: Readonly<Record<string, unknown>>, context: CallContext) => Promise<Result<unknown>>

/** Method name → what answers it. */
export type Methods = Readonly<Record<string, Method>>

/** How long a connection may take to say who it is, in ms. */
const AUTHENTICATION_TIME = 10_000

/** How long the other side may take to read its last answer before its connection is cut, in ms. */
const LINGER = 1_000

/**
 * Serves one connection until either side ends it. Nothing is answered before `authenticate`; nothing the other side sends
 * makes this throw.
 * @param onBug told what a method threw; the caller gets `internal`.
 * @returns ends the connection: its running calls are aborted and waited for.
 */
export function serveConnection(
  socket: Socket,
  tokens: CallerTokens,
  methods: Methods,
  onBug: (error: unknown) => void,
): () => Promise<void> {
  const running = new Map<unknown, { readonly abort: AbortController; readonly done: Promise<void> }>()
  const connectionEnd = new AbortController()
  let token: unknown

  const send = (message: object) => {
    if (socket.destroyed || socket.writableEnded) return
    // Who does not read its answers is not read from either, so they cannot pile up.
    if (!socket.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)) socket.pause()
  }
  const refuse = (id: RequestId | null, code: number, error: ToolError) =>
    send({ id, error: { code, message: error.message, data: error } })
  const finish = () => {
    socket.end()
    setTimeout(() => socket.destroy(), LINGER).unref()
  }
  const refuseAndEnd = (id: RequestId | null, code: number, error: ToolError) => {
    refuse(id, code, error)
    finish()
  }

  const authenticate = (id: RequestId, params: Readonly<Record<string, unknown>>) => {
    token = params['token']
    if (!tokens.find(token)) return refuseAndEnd(id, RPC.tool, toolError('not_authorized', INVALID_TOKEN))
    clearTimeout(patience)
    send({ id, result: { protocol: PROTOCOL } })
  }

  const run = async (id: RequestId, method: Method, params: Readonly<Record<string, unknown>>, known: Caller) => {
    const abort = new AbortController()
    const call = async () => {
      const context: CallContext = {
        notify: (name, news) => send({ method: name, params: news }),
        ended: connectionEnd.signal,
        caller: known,
        signal: abort.signal,
        progress: (progress) => send({ method: 'progress', params: { id, ...progress } }),
        warning: (sentence) => send({ method: 'warning', params: { id, sentence } }),
      }
      try {
        const result = await method(params, context)
        if (result.ok) send({ id, result: result.value })
        else refuse(id, RPC.tool, result.error)
      } catch (bug) {
        onBug(bug)
        refuse(
          id,
          RPC.tool,
          toolError('internal', `Treeline has a fault of its own: ${String(bug)}. Nothing is known to be changed.`),
        )
      }
    }
    const done = call()
    running.set(id, { abort, done })
    await done
    running.delete(id)
  }

  const onLine = (line: JsonLine) => {
    if (socket.writableEnded) return
    if (line.kind === 'too-long') {
      const message = `A request must be shorter than ${LONGEST_REQUEST} bytes. The connection ends.`
      return refuseAndEnd(null, RPC.invalid, toolError('invalid_request', message))
    }
    if (line.kind === 'malformed') {
      return refuse(null, RPC.parse, toolError('invalid_request', 'This line is not JSON in UTF-8.'))
    }
    const parsed = incomingCall.safeParse(line.value)
    if (!parsed.success) {
      return refuse(null, RPC.invalid, toolError('invalid_request', 'This line is not a JSON-RPC 2.0 request.'))
    }
    const { id, method: name, params = {} } = parsed.data
    if (token === undefined && id !== undefined && name === 'authenticate') return authenticate(id, params)
    // Looked up for each call: a token that is revoked is dead at once, also on a connection that is open.
    const caller = tokens.find(token)
    if (!caller) {
      const first = 'Say who you are first: the first request is authenticate with your token.'
      const message = token === undefined ? first : INVALID_TOKEN
      return refuseAndEnd(id ?? null, RPC.tool, toolError('not_authorized', message))
    }
    if (name === 'cancel') return running.get(params['id'])?.abort.abort()
    if (id === undefined) return
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined
    if (!method) {
      const message = `There is no method ${JSON.stringify(name)}. There are ${Object.keys(methods).join(', ')} and cancel.`
      return refuse(id, RPC.unknownMethod, toolError('invalid_request', message))
    }
    if (running.has(id)) {
      return refuse(id, RPC.invalid, toolError('invalid_request', 'A call with this id is still running.'))
    }
    void run(id, method, params, caller)
  }

  const patience = setTimeout(() => {
    refuseAndEnd(null, RPC.tool, toolError('not_authorized', 'Nobody said who calls. The connection ends.'))
  }, AUTHENTICATION_TIME)
  patience.unref()

  const ended = new Promise<void>((resolve) => {
    socket.once('close', () => {
      clearTimeout(patience)
      for (const { abort } of running.values()) abort.abort()
      connectionEnd.abort()
      resolve()
    })
  })
  // A reset by the other side is an ordinary end; `close` follows it.
  socket.on('error', () => undefined)
  socket.on('drain', () => socket.resume())
  socket.on('data', jsonLines(LONGEST_REQUEST, onLine))

  return async () => {
    for (const { abort } of running.values()) abort.abort()
    await Promise.all([...running.values()].map(({ done }) => done))
    finish()
    await ended
  }
}
