import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { SessionCreateResult, SessionTreeView } from '../../shared/tools.ts'

const PROGRAM = join(import.meta.dirname, '..', 'treeline.ts')

/** What a command did, as a shell would see it. */
export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd: string
  readonly environment?: Readonly<Record<string, string>>
  /** Flags for Node itself. */
  readonly node?: readonly string[]
  /** Called with the process once it has said something on stderr. */
  readonly onStart?: (pid: number) => void
}

/** Runs the real program, from its source, with nothing of this process's own Treeline in its environment. */
export async function runTreeline(words: readonly string[], options: RunOptions): Promise<Ran> {
  const { TREELINE_TOKEN: _token, TREELINE_SOCKET: _socket, DSH_HOME: _home, ...inherited } = process.env
  const child = spawn(process.execPath, [...(options.node ?? []), PROGRAM, ...words], {
    cwd: options.cwd,
    env: { ...inherited, ...options.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  if (child.pid !== undefined) options.onStart?.(child.pid)
  await once(child, 'close')
  return { code: child.exitCode, stdout, stderr }
}

/** The result of a command that must succeed. */
export function resultOf({ code, stdout, stderr }: Ran): unknown {
  if (code !== 0) throw new Error(`exit ${code}: ${stderr}`)
  return JSON.parse(stdout)
}

/** What a `session create` that must succeed has made. */
export function createdBy(ran: Ran): SessionCreateResult {
  resultOf(ran)
  const made: SessionCreateResult = JSON.parse(ran.stdout)
  return made
}

/** The trees a `session status` or `session list` that must succeed has shown. */
export function treesOf(ran: Ran): readonly SessionTreeView[] {
  resultOf(ran)
  const shown: { tree?: SessionTreeView; sessions?: SessionTreeView[] } = JSON.parse(ran.stdout)
  return shown.sessions ?? (shown.tree ? [shown.tree] : [])
}

/** The error of a command that must fail, with its exit code. */
export function errorOf({ code, stdout, stderr }: Ran): Readonly<Record<string, unknown>> {
  if (stdout !== '') throw new Error(`It printed a result: ${stdout}`)
  const printed: { error: Record<string, unknown> } = JSON.parse(stderr)
  return { exit: code, ...printed.error }
}
