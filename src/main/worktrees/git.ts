import { spawn, type ChildProcess } from 'node:child_process'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError, type ToolError } from '../../shared/tool-error.ts'
import { findGit, searchFolders, USUAL_GIT_FOLDERS } from './find-git.ts'
import { folderProblem } from './folder-state.ts'
import { gitEnvironment } from './git-environment.ts'
import { explainGitFailure } from './git-failure.ts'
import { endProcessGroup } from './process-group.ts'

/** How long a question to git may take (field fault F19). */
const QUERY_LIMIT_MS = 10_000

/** A hook's daemon may keep git's pipes open for ever; after git itself has ended, this long is waited for the rest. */
const DRAIN_MS = 1000

interface GitOptions {
  readonly cwd: string
  /** Milliseconds; `none` only for what shows progress and can be cancelled. Default: 10 s. */
  readonly timeoutMs?: number | 'none'
  readonly signal?: AbortSignal
  /** Exit codes that are answers, not failures. Default: 0. */
  readonly expectedExit?: readonly number[]
  /** What git and its hooks say while they run, as it comes: stderr, and stdout unless `onStdout` takes it. */
  readonly onOutput?: (text: string) => void
  /** Takes stdout in place of the answer, for listings that need not be kept. */
  readonly onStdout?: (chunk: Buffer) => void
  readonly env?: Readonly<Record<string, string>>
}

export interface GitOutput {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs git once, with a list of arguments and never a shell. Fails with `git_not_found`, `git_timed_out`, `cancelled`,
 * `cwd_missing`, or what `explainGitFailure` makes of an exit code that was not expected.
 */
export type RunGit = (args: readonly string[], options: GitOptions) => Promise<Result<GitOutput>>

/**
 * Binds git to an environment. The executable is looked for on the first call and again whenever it has gone.
 * @param environment what Treeline runs in; settings such as GIT_CONFIG_GLOBAL are kept, repositories are not
 * @param usualFolders where to look beside PATH
 */
export function createGit(
  environment: NodeJS.ProcessEnv = process.env,
  usualFolders: readonly string[] = USUAL_GIT_FOLDERS,
): RunGit {
  const folders = searchFolders(environment, usualFolders)
  let found: string | undefined
  return async (args, options) => {
    if (options.signal?.aborted) return fail(cancelledError())
    const problem = await folderProblem(options.cwd)
    if (problem) return fail(problem)
    found ??= await findGit(folders)
    if (found === undefined) return fail(notFoundError(folders))
    const ended = await run(found, args, options, gitEnvironment(environment, folders, options.env))
    if (ended.kind === 'not_started') {
      found = undefined
      return fail(
        toolError('git_not_found', `Git could not be started: ${ended.reason}. Check the installation of git.`),
      )
    }
    if (ended.kind === 'cancelled') return fail(cancelledError())
    if (ended.kind === 'killed') return fail(killedError(args, options, ended.by))
    if (ended.kind === 'timed_out') return fail(timedOutError(args, options))
    if ((options.expectedExit ?? [0]).includes(ended.output.exitCode)) return ok(ended.output)
    return fail(explainGitFailure(ended.output, options.cwd))
  }
}

type Ended =
  | { readonly kind: 'exited'; readonly output: GitOutput }
  | { readonly kind: 'not_started'; readonly reason: string }
  | { readonly kind: 'killed'; readonly by: string }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'timed_out' }

function run(file: string, args: readonly string[], options: GitOptions, env: NodeJS.ProcessEnv): Promise<Ended> {
  return new Promise((resolve) => {
    let ending: { readonly why: 'cancelled' | 'timed_out'; readonly finish: () => void } | undefined
    const end = (why: 'cancelled' | 'timed_out'): void => {
      ending ??= { why, finish: endProcessGroup(child) }
    }
    const child = spawn(file, args, {
      cwd: options.cwd,
      env,
      // A group of its own can be ended whole, hooks included; and without a terminal nothing can ask for a password.
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    })
    const onAbort = (): void => end('cancelled')
    options.signal?.addEventListener('abort', onAbort, { once: true })
    const limit = options.timeoutMs ?? QUERY_LIMIT_MS
    const timer = limit === 'none' ? undefined : setTimeout(() => end('timed_out'), limit)
    const output = collect(child, options)
    let drain: NodeJS.Timeout | undefined
    let settled = false
    const settle = (ended: Ended): void => {
      if (settled) return
      settled = true
      clearTimeout(timer)
      clearTimeout(drain)
      options.signal?.removeEventListener('abort', onAbort)
      ending?.finish()
      resolve(ended)
    }
    child.on('error', (error) => {
      // 'error' also reports a kill that did not work; only a child without a pid has not started.
      if (child.pid === undefined) settle({ kind: 'not_started', reason: error.message })
    })
    child.on('exit', () => {
      drain = setTimeout(() => {
        child.stdout?.destroy()
        child.stderr?.destroy()
      }, DRAIN_MS)
    })
    child.on('close', (code, signal) => {
      if (ending) return settle({ kind: ending.why })
      if (code === null) return settle({ kind: 'killed', by: signal ?? 'a signal' })
      settle({ kind: 'exited', output: { exitCode: code, ...output() } })
    })
  })
}

function collect(child: ChildProcess, options: GitOptions): () => { readonly stdout: string; readonly stderr: string } {
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  child.stdout?.on('data', (chunk: Buffer) => {
    if (options.onStdout) return options.onStdout(chunk)
    stdout.push(chunk)
    options.onOutput?.(chunk.toString())
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr.push(chunk)
    options.onOutput?.(chunk.toString())
  })
  return () => ({ stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() })
}

/** The environment of questions: they must not write, not even a refreshed index. */
export const QUERY: Readonly<Record<string, string>> = { GIT_OPTIONAL_LOCKS: '0' }

function cancelledError(): ToolError {
  return toolError('cancelled', 'It was cancelled; nothing is left of it.')
}

function notFoundError(folders: readonly string[]): ToolError {
  return toolError(
    'git_not_found',
    `Git was not found. Worktrees need it; everything else works without. Looked in ${folders.join(', ')}. Install git, or put it on the PATH.`,
  )
}

/** Never an answer, whatever exit codes were expected. */
function killedError(args: readonly string[], options: GitOptions, by: string): ToolError {
  return toolError(
    'git_refused',
    `Git was ended from outside by ${by} (git ${commandName(args)} in ${options.cwd}). Try again.`,
    { path: options.cwd },
  )
}

function timedOutError(args: readonly string[], options: GitOptions): ToolError {
  const seconds = (typeof options.timeoutMs === 'number' ? options.timeoutMs : QUERY_LIMIT_MS) / 1000
  return toolError(
    'git_timed_out',
    `Git did not answer within ${seconds} s (git ${commandName(args)} in ${options.cwd}) and was stopped. Try it in a terminal there to see what it waits for.`,
    { path: options.cwd },
  )
}

/** The subcommand in a list of arguments, behind git's own options, for sentences. */
function commandName(args: readonly string[]): string {
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? ''
    if (arg === '-c' || arg === '-C') index += 1
    else if (!arg.startsWith('-')) return arg
  }
  return ''
}
