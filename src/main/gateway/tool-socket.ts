import { chmod, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import type { CallerTokens } from './caller-tokens.ts'
import { preparePrivateFolder } from './socket-address.ts'
import { serveConnection, type Methods } from './tool-connection.ts'

/** The socket through which agents and the command line reach the owner of a home. */
export interface ToolSocket {
  readonly address: string
  /** Takes no more calls, aborts those that run and waits for them. */
  close(): Promise<void>
}

/**
 * Listens at `address`, for this user only: 0600 in a folder of 0700. What a killed owner left there is removed, so
 * the caller must own the home. Fails with `io_failed`.
 * @param onBug told what a method threw; the caller gets `internal`.
 */
export async function openToolSocket(parts: {
  readonly address: string
  readonly tokens: CallerTokens
  readonly methods: Methods
  readonly onBug: (error: unknown) => void
}): Promise<Result<ToolSocket>> {
  const { address, tokens, methods, onBug } = parts
  const folder = await preparePrivateFolder(address)
  if (!folder.ok) return folder
  const connections = new Set<() => Promise<void>>()
  const server = createServer((socket) => {
    const end = serveConnection(socket, tokens, methods, onBug)
    connections.add(end)
    socket.once('close', () => connections.delete(end))
  })
  const isFile = process.platform !== 'win32'
  try {
    if (isFile) await rm(address, { force: true })
    await listen(server, address)
    if (isFile) await chmod(address, 0o600)
  } catch (error) {
    server.close()
    const reason = error instanceof Error ? error.message : String(error)
    return fail(toolError('io_failed', `Treeline cannot listen at ${address}: ${reason}.`, { path: address }))
  }
  return ok({
    address,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      await Promise.all([...connections].map((end) => end()))
      await closed
    },
  })
}

function listen(server: Server, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(address, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
