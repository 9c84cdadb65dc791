import { resolve } from 'node:path'
import { assertNever, type Result } from '../shared/result.ts'
import type { CallOptions } from '../main/gateway/tool-client.ts'
import { homePaths, resolveHome, type HomePaths } from '../main/session-tree/home-paths.ts'
import { hostCaller, type HostCaller } from '../main/tools/caller.ts'
import type { ToolOptions } from '../main/tools/tool-options.ts'
import type { Command, CreateFields } from './arguments.ts'
import { sendRequest, statusRequest } from './as-session.ts'
import { interruption } from './interruption.ts'
import { listAsHost, lookAsHost } from './look.ts'
import type { ReachedHome } from './reach-tools.ts'

type Of<Name extends Command['name']> = Extract<Command, { name: Name }>

/**
 * Runs a command as the host: what only looks asks the owner, who knows which agents are live, or reads the disk where there is
 * none; what writes goes to the owner of the home, or owns it for the call. Only what a command needs is loaded, for it starts anew each time.
 * @param folder where the command was called, absolute
 */
export async function runAsHost(
  command: Exclude<Command, { name: 'help' | 'mcp' | 'check' | 'serve' | 'session tree' }>,
  folder: string,
  environment: NodeJS.ProcessEnv,
  options: CallOptions,
): Promise<Result<unknown>> {
  const paths = homeOf(command, environment)
  switch (command.name) {
    case 'session status':
      return lookAsHost(paths, statusRequest(command), command.as)
    case 'session list':
      return listAsHost(paths)
    case 'session create':
      return forCaller(command.as, (caller) =>
        reached(paths, options, ({ tools }, call) =>
          tools.session_create(withFolder(command, folder), caller, toolOptions(call)),
        ),
      )
    case 'session send':
      return forCaller(command.as, (caller) =>
        reached(paths, options, ({ tools }, call) =>
          tools.session_send(sendRequest(command), caller, toolOptions(call)),
        ),
      )
    case 'import dsh': {
      const folders = command.folder === undefined ? undefined : [resolve(folder, command.folder)]
      if (command.dryRun) return rehearseImport(paths, folders, options)
      return reached(paths, options, ({ importDsh }, call) => importDsh({ ...(folders && { folders }), ...call }))
    }
    default:
      return assertNever(command)
  }
}

/** The home that is meant: `--home`, else `$DSH_HOME`, else `~/.dsh`. */
export function homeOf(command: { readonly home?: string }, environment: NodeJS.ProcessEnv): HomePaths {
  return homePaths(resolveHome(command.home, environment))
}

/** Only reads, so it needs no lock and disturbs no owner. */
async function rehearseImport(
  paths: HomePaths,
  folders: readonly string[] | undefined,
  { onProgress }: CallOptions,
): Promise<Result<unknown>> {
  const { openSessionTree } = await import('../main/session-tree/tree-provider.ts')
  const { importDsh } = await import('../main/exchange/dsh-import.ts')
  return importDsh({
    tree: openSessionTree(paths.tree),
    folders: folders ?? paths.dshLogs,
    dryRun: true,
    signal: interruption(),
    onProgress,
  })
}

type InterruptibleCall = CallOptions & { readonly signal: AbortSignal }

async function reached(
  paths: HomePaths,
  options: CallOptions,
  run: (home: ReachedHome['home'], call: InterruptibleCall) => Promise<Result<unknown>>,
): Promise<Result<unknown>> {
  const { reachAsHost } = await import('./reach-tools.ts')
  const signal = interruption()
  const found = await reachAsHost(paths, signal)
  if (!found.ok) return found
  const { home, reports } = found.value
  for (const sentence of reports) options.onWarning?.(sentence)
  try {
    return await run(home, { ...options, signal })
  } finally {
    await home.close()
  }
}

async function forCaller(
  as: string | undefined,
  run: (caller: HostCaller) => Promise<Result<unknown>>,
): Promise<Result<unknown>> {
  const caller = hostCaller(as)
  return caller.ok ? run(caller.value) : caller
}

function toolOptions({ signal, onProgress, onWarning }: InterruptibleCall): ToolOptions {
  return {
    signal,
    ...(onProgress && { onProgress: (sentence: string) => onProgress({ sentence }) }),
    ...(onWarning && { onWarning }),
  }
}

/** A main has no parent to take its folder from: it gets the one the command was called in. */
function withFolder({ request, as }: Of<'session create'>, folder: string): CreateFields {
  return as === undefined && request.fork !== true && request.cwd === undefined ? { ...request, cwd: folder } : request
}
