import { setTimeout } from 'node:timers/promises'
import { fail, ok, type Result } from '../shared/result.ts'
import { toolError } from '../shared/tool-error.ts'
import { connectToOwner } from '../main/gateway/connect-to-owner.ts'
import type { HomeHost } from '../main/gateway/home-host.ts'
import type { CallOptions, ToolConnection } from '../main/gateway/tool-client.ts'
import type { HomePaths } from '../main/session-tree/home-paths.ts'
import { hostCaller } from '../main/tools/caller.ts'
import type { ToolOptions } from '../main/tools/tool-options.ts'

/** What writes, as the command line reaches it: in the process that owns the home, or in this one. */
export interface ReachedTools {
  /** What was found and mended when this process opened the home, each in a sentence. */
  readonly reports: readonly string[]
  session_create(request: unknown, as: string | undefined, options: CallOptions): Promise<Result<unknown>>
  session_send(request: unknown, as: string | undefined, options: CallOptions): Promise<Result<unknown>>
  import_dsh(folders: readonly string[] | undefined, options: CallOptions): Promise<Result<unknown>>
  close(): Promise<void>
}

/** How long a command waits for a home that another command has, or for a window that is just starting, in ms. */
const PATIENCE = 20_000
const PAUSE = 40

/**
 * Reaches the home as the host: through its owner if there is one that listens, else by owning it for this call.
 * Fails with `home_owned` where an owner neither listens nor ends in time, `io_failed`, `cancelled`.
 */
export async function reachAsHost(paths: HomePaths, signal: AbortSignal): Promise<Result<ReachedTools>> {
  const { openHome } = await import('../main/gateway/home-host.ts')
  const end = Date.now() + PATIENCE
  for (;;) {
    const connected = await connectToOwner(paths)
    if (connected.ok) return ok(overSocket(connected.value))
    const opened = await openHome({ paths, app: 'command line', serve: false })
    if (opened.ok) return ok(inThisProcess(opened.value))
    if (opened.error.code !== 'home_owned' || Date.now() > end) return opened
    try {
      await setTimeout(PAUSE, undefined, { signal })
    } catch {
      return fail(toolError('cancelled', 'Cancelled while waiting for another program to let go of the home.'))
    }
  }
}

function overSocket(connection: ToolConnection): ReachedTools {
  return {
    reports: [],
    session_create: (request, as, options) => connection.call('session_create', paramsOf(request, as), options),
    session_send: (request, as, options) => connection.call('session_send', paramsOf(request, as), options),
    import_dsh: (folders, options) => connection.call('import_dsh', folders ? { folders } : {}, options),
    async close() {
      connection.close()
    },
  }
}

/** The host acts for a session beside its request, never in it (design §4). */
function paramsOf(request: unknown, as: string | undefined): object {
  return as === undefined ? { request } : { request, as }
}

function inThisProcess(home: HomeHost): ReachedTools {
  return {
    reports: home.reports,
    async session_create(request, as, options) {
      const caller = hostCaller(as)
      return caller.ok ? home.tools.session_create(request, caller.value, toolOptions(options)) : caller
    },
    async session_send(request, as, options) {
      const caller = hostCaller(as)
      return caller.ok ? home.tools.session_send(request, caller.value, toolOptions(options)) : caller
    },
    import_dsh: (folders, { signal, onProgress }) =>
      home.importDsh({
        ...(folders && { folders }),
        ...(signal && { signal }),
        ...(onProgress && { onProgress }),
      }),
    close: () => home.close(),
  }
}

function toolOptions({ signal, onProgress, onWarning }: CallOptions): ToolOptions {
  return {
    ...(signal && { signal }),
    ...(onProgress && { onProgress: (sentence: string) => onProgress({ sentence }) }),
    ...(onWarning && { onWarning }),
  }
}
