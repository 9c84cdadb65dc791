import { fail, ok, type Result } from '../../shared/result.ts'
import type { SessionId } from '../../shared/session-id.ts'
import { toolError, type ToolError } from '../../shared/tool-error.ts'
import type { AgentHost } from '../agents/agent.ts'
import { createBudgets, type Budgets } from '../agents/budget.ts'
import { createPresets } from '../agents/presets.ts'
import { recoverAgents } from '../agents/recover-agents.ts'
import { createSessionReader } from '../agents/session-reader.ts'
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
import { createCallerTokens, type CallerTokens } from './caller-tokens.ts'
import { createImport, type ImportDsh } from './import-call.ts'
import { liveMethods } from './live-methods.ts'
import { createRunningCalls, type RunningCalls } from './running-calls.ts'
import { termsFromPresets, type KnownPresets } from './session-terms.ts'
import { socketAddress } from './socket-address.ts'
import { toolMethods } from './tool-methods.ts'
import type { Methods } from './tool-connection.ts'
import { openToolSocket, type ToolSocket } from './tool-socket.ts'

/** A home this process owns: everything in main that writes goes through it. */
export interface HomeHost {
  readonly tree: SessionTree
  readonly worktrees: WorktreeProvider
  readonly tools: Tools
  /** The live agents; absent where this owner runs none. */
  readonly agents?: AgentHost
  readonly budgets: Pick<Budgets, 'refuseRaise'>
  readonly importDsh: ImportDsh
  /** Where agents and the command line call; absent where this owner does not serve. */
  readonly socket?: string
  /** What was found and mended when the home was opened, and what is wrong with its settings and presets; each in a sentence. */
  readonly reports: readonly string[]
  /** Aborts and awaits what runs, agents included, stops listening, and gives the home back. Safe to call twice. */
  close(): Promise<void>
}

/** Why a home could not be opened; `owner` where it is known who has it. */
export type OpenFailure = AcquireFailure

interface OpenOptions {
  readonly paths: HomePaths
  readonly app: OwningApp
  /** Whether agents and the command line may call: then the tool socket is opened and announced. */
  readonly serve: boolean
  /** Whether sessions run here. Agents call the tools, so they need `serve` as well. */
  readonly agents?: boolean
  /** Told what a call over the socket threw; its caller gets `internal`. */
  readonly onBug?: (error: unknown) => void
  /** Told why an agent cannot go on. */
  readonly onAgentTrouble?: (error: ToolError, session: SessionId) => void
}

/**
 * Takes ownership of a home and brings it in order: agents that outlived a killed owner are ended, and what creations left
 * that were killed is removed, sessions and worktrees alike, before anything else happens (design §2.3, §2.6, §7).
 * Fails with `home_owned` (see `connectToOwner`) or `io_failed`.
 */
export async function openHome(options: OpenOptions): Promise<Result<HomeHost, OpenFailure>> {
  const lock = await acquireHome(options.paths.lock, { app: options.app })
  if (!lock.ok) return lock
  const opened = await openOwned(options, lock.value)
  if (!opened.ok) await lock.value.release()
  return opened
}

async function openOwned(options: OpenOptions, lock: OwnedLock): Promise<Result<HomeHost>> {
  const { paths } = options
  const tree = openSessionTree(paths.tree)
  const worktrees = createGitWorktrees({
    home: paths.home,
    templates: async () => (await readSettings(paths.settings)).settings,
  })
  const recovered = await recoverAgents({ tree, recordsFolder: paths.agents })
  const reports = await bringInOrder(paths, tree, worktrees)
  if (!reports.ok) return reports
  const reader = createSessionReader(tree)
  const budgets = createBudgets(tree, reader, Date.now)
  const presets = presetsOf(paths)
  const tokens = createCallerTokens()
  const address = socketAddress(paths)
  // Loaded only where agents run: a command that owns the home for a moment needs none of it.
  const home = options.agents
    ? await (
        await import('./home-agents.ts')
      ).startHomeAgents({
        paths,
        tree,
        reader,
        budgets,
        presets,
        atOnce: async () => (await readSettings(paths.settings)).settings.agentsAtOnce,
        tokens,
        address,
        report: options.onAgentTrouble ?? (() => undefined),
        onBug: options.onBug ?? (() => undefined),
      })
    : undefined
  if (home && !home.ok) return home
  const agents = home?.value.agents
  const calls = createRunningCalls()
  const tools = trackedTools(
    createTools({
      tree,
      worktrees,
      agents,
      pendingFolder: paths.pending,
      rootCreationPermitted: true,
      termsFor: termsFromPresets({
        presets,
        budgets,
        reserve: async () => (await readSettings(paths.settings)).settings.budgetReserve,
      }),
    }),
    calls,
  )
  const importDsh = createImport(paths, tree, calls)
  const live = agents && liveMethods(agents, tree, budgets)
  const methods: Methods = { ...toolMethods({ tree, tools, importDsh, agents }), ...live?.methods }
  const socket = options.serve ? await listen({ paths, lock, tokens, address, methods }, options.onBug) : undefined
  if (socket && !socket.ok) {
    await home?.value.close()
    return socket
  }
  home?.value.begin()
  let closing: Promise<void> | undefined
  const close = async () => {
    live?.stop()
    // Agents first: what they still say belongs into their logs, and their calls need the socket.
    await home?.value.close()
    await socket?.value.close()
    await calls.stop()
    await lock.release()
  }
  const [{ problem }, { list }] = await Promise.all([readSettings(paths.settings), presets()])
  const problems = [...(problem === undefined ? [] : [problem]), ...list.problems.map(({ message }) => message)]
  return ok({
    tree,
    worktrees,
    tools,
    ...(agents && { agents }),
    budgets,
    importDsh,
    reports: [...recovered, ...reports.value, ...problems],
    ...(socket && { socket: socket.value.address }),
    close: () => (closing ??= close()),
  })
}

/** The presets there are now, and the one chosen in settings. */
function presetsOf(paths: HomePaths): () => Promise<KnownPresets> {
  const read = createPresets(paths.presets, process.env)
  return async () => {
    const [list, { settings }] = await Promise.all([read(), readSettings(paths.settings)])
    return { list, chosen: settings.preset ?? undefined }
  }
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
  parts: {
    readonly paths: HomePaths
    readonly lock: OwnedLock
    readonly tokens: CallerTokens
    readonly address: string
    readonly methods: Methods
  },
  onBug: (error: unknown) => void = () => undefined,
): Promise<Result<ToolSocket>> {
  const { paths, lock, tokens, address, methods } = parts
  const socket = await openToolSocket({ address, tokens, methods, onBug })
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
