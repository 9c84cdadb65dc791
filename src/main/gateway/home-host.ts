import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import type { HomePaths } from '../session-tree/home-paths.ts'
import { acquireHome, type AcquireFailure, type OwnedLock } from '../session-tree/owner-lock.ts'
import type { OwningApp } from '../session-tree/owner-lock-files.ts'
import type { SessionTree } from '../session-tree/session-tree.ts'
import { openSessionTree } from '../session-tree/tree-provider.ts'
import { replaceFile } from '../settings/replace-file.ts'
import { readSettings } from '../settings/settings-file.ts'
import { createTools, type Tools } from '../tools/tools.ts'
import { createGitWorktrees } from '../worktrees/git-worktrees.ts'
import type { WorktreeProvider } from '../worktrees/worktree-provider.ts'
import { bringInOrder } from './bring-in-order.ts'
import { createCallerTokens } from './caller-tokens.ts'
import { createImport, type ImportDsh } from './import-call.ts'
import { createRunningCalls, type RunningCalls } from './running-calls.ts'
import { socketAddress } from './socket-address.ts'
import { toolMethods } from './tool-methods.ts'
import type { Methods } from './tool-connection.ts'
import { openToolSocket, type ToolSocket } from './tool-socket.ts'

/** A home this process owns: everything in main that writes goes through it. */
export interface HomeHost {
  readonly tree: SessionTree
  readonly worktrees: WorktreeProvider
  readonly tools: Tools
  readonly importDsh: ImportDsh
  /** What was found and mended when the home was opened, and what is wrong with its settings; each in a sentence. */
  readonly reports: readonly string[]
  /** Aborts and awaits what runs, stops listening, and gives the home back. Safe to call twice. */
  close(): Promise<void>
}

/** Why a home could not be opened; `owner` where it is known who has it. */
export type OpenFailure = AcquireFailure

/**
 * Takes ownership of a home and brings it in order: what creations left that were killed is removed, sessions and
 * worktrees alike, before anything else happens (design §2.3, §2.6).
 * Fails with `home_owned` (see `connectToOwner`) or `io_failed`.
 * @param options.serve whether agents and the command line may call: then the tool socket is opened and announced.
 * @param options.onBug told what a call over the socket threw; its caller gets `internal`.
 */
export async function openHome(options: {
  readonly paths: HomePaths
  readonly app: OwningApp
  readonly serve: boolean
  readonly onBug?: (error: unknown) => void
}): Promise<Result<HomeHost, OpenFailure>> {
  const { paths, app, serve, onBug = () => undefined } = options
  const lock = await acquireHome(paths.lock, { app })
  if (!lock.ok) return lock
  const tree = openSessionTree(paths.tree)
  const worktrees = createGitWorktrees({
    home: paths.home,
    templates: async () => (await readSettings(paths.settings)).settings,
  })
  const reports = await bringInOrder(paths, tree, worktrees)
  if (!reports.ok) {
    await lock.value.release()
    return reports
  }
  const calls = createRunningCalls()
  const tools = trackedTools(
    createTools({ tree, worktrees, pendingFolder: paths.pending, rootCreationPermitted: true }),
    calls,
  )
  const importDsh = createImport(paths, tree, calls)
  const socket = serve ? await listen(paths, lock.value, toolMethods({ tree, tools, importDsh }), onBug) : undefined
  if (socket && !socket.ok) {
    await lock.value.release()
    return socket
  }
  let closing: Promise<void> | undefined
  const close = async () => {
    await socket?.value.close()
    await calls.stop()
    await lock.value.release()
  }
  const { problem } = await readSettings(paths.settings)
  return ok({
    tree,
    worktrees,
    tools,
    importDsh,
    reports: problem === undefined ? reports.value : [...reports.value, problem],
    close: () => (closing ??= close()),
  })
}

/** The tools, every call of which is aborted and awaited before the home is given back. */
function trackedTools(tools: Tools, calls: RunningCalls): Tools {
  return {
    session_create: (request, caller, options) =>
      calls.run(options?.signal, (signal) => tools.session_create(request, caller, { ...options, signal })),
    session_status: (request, caller) => tools.session_status(request, caller),
    session_send: (request, caller, options) =>
      calls.run(options?.signal, (signal) => tools.session_send(request, caller, { ...options, signal })),
  }
}

/** Opens the tool socket, puts the host's token where only this user can read it, and then says where it is. */
async function listen(
  paths: HomePaths,
  lock: OwnedLock,
  methods: Methods,
  onBug: (error: unknown) => void,
): Promise<Result<ToolSocket>> {
  const tokens = createCallerTokens()
  const socket = await openToolSocket({ address: socketAddress(paths), tokens, methods, onBug })
  if (!socket.ok) return socket
  const announced = await announce(paths, lock, socket.value.address, tokens.issue({ kind: 'host' }))
  if (!announced.ok) await socket.value.close()
  return announced.ok ? socket : announced
}

async function announce(
  paths: HomePaths,
  lock: OwnedLock,
  address: string,
  hostToken: string,
): Promise<Result<unknown>> {
  try {
    await replaceFile(paths.hostToken, `${hostToken}\n`)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return fail(toolError('io_failed', `${paths.hostToken} cannot be written: ${reason}.`, { path: paths.hostToken }))
  }
  return lock.announce(address)
}
