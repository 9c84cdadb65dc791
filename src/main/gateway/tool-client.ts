import { connect, type Socket } from 'node:net'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError, type ToolError } from '../../shared/tool-error.ts'
import { jsonLines, type JsonLine } from './json-lines.ts'
import {
  greeting,
  incomingAnswer,
  LONGEST_ANSWER,
  parseLiveChange,
  parseToolError,
  type LiveChange,
  type Progress,
} from './tool-protocol.ts'

export interface CallOptions {
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: Progress) => void
  readonly onWarning?: (sentence: string) => void
}

/** A connection to the owner of a home. */
export interface ToolConnection {
  /**
   * Calls a method and waits for its answer; aborting `signal` asks the owner to cancel it, which it then answers.
   * Fails with what the owner says, or with `owner_unreachable` if it ends first.
   */
  call(method: string, params: object, options?: CallOptions): Promise<Result<unknown>>
  /** Told of each change of a live agent, once `live_status` was called. Returns the unsubscribe. */
  onLive(listener: (change: LiveChange) => void): () => void
  /** Resolves when the connection has ended, however it did, with why. */
  readonly ended: Promise<ToolError>
  /** Calls that still wait are answered with `owner_unreachable`, for this reason. */
  close(reason?: string): void
}

/** How long an owner may take to greet, in ms: one that is stopped or stuck never does. */
const WELCOME_TIME = 10_000

interface Waiting extends CallOptions {
  answer(result: Result<unknown>): void
}

/**
 * Connects to the owner that listens at `address` and says who calls.
 * Fails with `owner_unreachable` if nobody answers there, `not_authorized` if the token is not (or no longer) valid.
 */
export async function connectToTools(address: string, token: string): Promise<Result<ToolConnection>> {
  const socket = await open(address)
  if (!socket.ok) return socket
  const connection = converse(socket.value, address)
  const patience = setTimeout(() => connection.close('it does not answer'), WELCOME_TIME)
  const welcome = await connection.call('authenticate', { token })
  clearTimeout(patience)
  if (!welcome.ok) {
    connection.close()
    return welcome
  }
  if (greeting.safeParse(welcome.value).success) return ok(connection)
  connection.close()
  const message = `The Treeline that listens at ${address} is of another version. Close it and try again.`
  return fail(toolError('owner_unreachable', message, { path: address }))
}

function open(address: string): Promise<Result<Socket>> {
  return new Promise((resolve) => {
    const socket = connect(address)
    socket.once('connect', () => resolve(ok(socket)))
    socket.once('error', (error) => resolve(fail(unreachable(address, error.message))))
  })
}

function converse(socket: Socket, address: string): ToolConnection {
  const waiting = new Map<number, Waiting>()
  const listeners = new Set<(change: LiveChange) => void>()
  let tellEnd: (error: ToolError) => void
  const over = new Promise<ToolError>((resolve) => (tellEnd = resolve))
  let next = 1
  let ended: ToolError | undefined

  const send = (message: object) => {
    if (!socket.destroyed) socket.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }
  const end = (error: ToolError) => {
    ended ??= error
    tellEnd(ended)
    for (const call of waiting.values()) call.answer(fail(ended))
    waiting.clear()
    socket.destroy()
  }
  const onLine = (line: JsonLine) => {
    const parsed = line.kind === 'value' ? incomingAnswer.safeParse(line.value) : undefined
    if (!parsed?.success) return end(unreachable(address, 'its answer cannot be understood'))
    const message = parsed.data
    if ('method' in message && message.method === 'live') {
      const change = parseLiveChange(message.params)
      if (change) for (const listener of listeners) listener(change)
      return
    }
    if ('method' in message) {
      const call = waiting.get(Number(message.params.id))
      const { sentence, done, total } = message.params
      if (message.method === 'warning') call?.onWarning?.(sentence)
      else call?.onProgress?.({ sentence, ...(done !== undefined && { done }), ...(total !== undefined && { total }) })
      return
    }
    const id = Number(message.id)
    const result =
      'error' in message ? fail(parseToolError(message.error.data, message.error.message)) : ok(message.result)
    // An error about no call in particular is about the connection: the owner is about to end it.
    if (message.id === null && !result.ok) return end(result.error)
    waiting.get(id)?.answer(result)
    waiting.delete(id)
  }

  socket.on('data', jsonLines(LONGEST_ANSWER, onLine))
  socket.on('error', (error) => end(unreachable(address, error.message)))
  socket.on('close', () => end(unreachable(address, 'it ended before it answered')))

  return {
    ended: over,
    onLive(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    call(method, params, options = {}) {
      if (ended) return Promise.resolve(fail(ended))
      const id = next++
      const { signal } = options
      return new Promise((resolve) => {
        const cancel = () => send({ method: 'cancel', params: { id } })
        const answer = (result: Result<unknown>) => {
          signal?.removeEventListener('abort', cancel)
          resolve(result)
        }
        waiting.set(id, { ...options, answer })
        send({ id, method, params })
        if (signal?.aborted) cancel()
        else signal?.addEventListener('abort', cancel, { once: true })
      })
    },
    close(reason = 'the connection was closed') {
      end(unreachable(address, reason))
    },
  }
}

function unreachable(address: string, reason: string): ToolError {
  const message = `The Treeline that owns this home cannot be reached at ${address}: ${reason}. Look whether it still runs, then try again.`
  return toolError('owner_unreachable', message, { path: address })
}
