import { resolve } from 'node:path'
import { assertNever, ok, type Result } from '../shared/result.ts'
import type { CallOptions } from '../main/gateway/tool-client.ts'
import { homePaths, resolveHome, type HomePaths } from '../main/session-tree/home-paths.ts'
import type { SessionTree } from '../main/session-tree/session-tree.ts'
import type { Command, CreateFields } from './arguments.ts'
import { sendRequest, statusRequest } from './as-session.ts'
import { interruption } from './interruption.ts'
import type { ReachedTools } from './reach-tools.ts'

type Of<Name extends Command['name']> = Extract<Command, { name: Name }>

/**
 * Runs a command as the host: what only looks reads the disk and nothing else; what writes goes to the owner of the home,
 * or owns it for the call. Only what a command needs is loaded, for it starts anew each time.
 * @param folder where the command was called, absolute
 */
export async function runAsHost(
  command: Exclude<Command, { name: 'help' | 'check' }>,
  folder: string,
  environment: NodeJS.ProcessEnv,
  options: CallOptions,
): Promise<Result<unknown>> {
  const paths = homeOf(command, environment)
  switch (command.name) {
    case 'session status':
      return status(paths, command)
    case 'session list':
      return list(paths)
    case 'session create':
      return reached(paths, options, (tools, call) =>
        tools.session_create(withFolder(command, folder), command.as, call),
      )
    case 'session send':
      return reached(paths, options, (tools, call) => tools.session_send(sendRequest(command), command.as, call))
    case 'import dsh': {
      const folders = command.folder === undefined ? undefined : [resolve(folder, command.folder)]
      if (command.dryRun) return rehearseImport(paths, folders, options)
      return reached(paths, options, (tools, call) => tools.import_dsh(folders, call))
    }
    default:
      return assertNever(command)
  }
}

/** The home that is meant: `--home`, else `$DSH_HOME`, else `~/.dsh`. */
export function homeOf(command: { readonly home?: string }, environment: NodeJS.ProcessEnv): HomePaths {
  return homePaths(resolveHome(command.home, environment))
}

async function status(paths: HomePaths, command: Of<'session status'>): Promise<Result<unknown>> {
  const { sessionStatus } = await import('../main/tools/session-status.ts')
  const { hostCaller } = await import('../main/tools/caller.ts')
  const caller = hostCaller(command.as)
  return caller.ok ? sessionStatus(await treeToLookAt(paths), statusRequest(command), caller.value) : caller
}

async function list(paths: HomePaths): Promise<Result<unknown>> {
  const { listSessions } = await import('../main/tools/session-list.ts')
  return ok({ sessions: await listSessions(await treeToLookAt(paths)) })
}

/** Read in one go: there is no window that would have to wait, and a list takes a fraction of the time. */
async function treeToLookAt(paths: HomePaths): Promise<SessionTree> {
  const { openSessionTree } = await import('../main/session-tree/tree-provider.ts')
  const { blockingReading } = await import('../main/session-tree/blocking-reading.ts')
  return openSessionTree(paths.tree, blockingReading)
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
  run: (tools: ReachedTools, call: InterruptibleCall) => Promise<Result<unknown>>,
): Promise<Result<unknown>> {
  const { reachAsHost } = await import('./reach-tools.ts')
  const signal = interruption()
  const tools = await reachAsHost(paths, signal)
  if (!tools.ok) return tools
  for (const sentence of tools.value.reports) options.onWarning?.(sentence)
  try {
    return await run(tools.value, { ...options, signal })
  } finally {
    await tools.value.close()
  }
}

/** A main has no parent to take its folder from: it gets the one the command was called in. */
function withFolder({ request, as }: Of<'session create'>, folder: string): CreateFields {
  return as === undefined && request.fork !== true && request.cwd === undefined ? { ...request, cwd: folder } : request
}
