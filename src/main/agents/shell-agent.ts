import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ok, type Result } from '../../shared/result.ts'
import type { Agent, AgentExit, AgentStart, TurnEnd, TurnLog, TurnPrompt } from './agent.ts'
import { environmentOf } from './agent-environment.ts'
import { deferred } from './deferred.ts'
import { mask } from './masking.ts'
import { OUTPUT_EVENT } from './own-events.ts'
import { endGroup, groupRuns } from './process-group.ts'
import { createShellOutput, type OutputStream } from './shell-output.ts'

/** A command longer than this is put into a file: Linux takes 128 KiB as one argument. */
const LONGEST_ARGUMENT = 100_000
/** What a command leaves in the background may keep its pipes open; so long is waited for the rest of its output. */
const DRAIN_MS = 200
const STREAMS: readonly OutputStream[] = ['stdout', 'stderr']

/**
 * The shell agent (design §7): a prompt is run by the user's shell in the session's folder, without a terminal, and is one
 * turn with one `bash` call. Its environment carries the gateway, so that `treeline` in it acts for this session.
 */
export function startShellAgent(start: AgentStart): Promise<Result<Agent>> {
  const groups = new Set<number>()
  const ended = deferred<AgentExit>()
  let current: Promise<unknown> = Promise.resolve()

  const agent: Agent = {
    prompt(prompt, log, signal) {
      const turn = runTurn(start, prompt, log, signal, groups)
      current = turn
      return turn
    },
    ended: ended.promise,
    async stop() {
      await Promise.all([...groups].map((leader) => endGroup(leader)))
      await current
      ended.resolve({ code: 0, signal: null, lastWords: '' })
    },
    keepsRunning: () => groups.size > 0,
  }
  return Promise.resolve(ok(agent))
}

async function runTurn(
  start: AgentStart,
  { text: command }: TurnPrompt,
  log: TurnLog,
  signal: AbortSignal,
  groups: Set<number>,
): Promise<TurnEnd> {
  const callId = `bash-${randomUUID()}`
  const call = { callId, name: 'bash', arguments: JSON.stringify({ command }) }
  log.startStep()
  log.assistantMessage({
    content: [{ type: 'tool-call', id: callId, name: call.name, arguments: call.arguments }],
    provider: 'treeline',
    model: 'shell',
  })
  log.toolCall(call)
  // What is about to run is on disk before it runs.
  const unwritten = await log.flushed()
  if (unwritten) return { kind: 'error', message: unwritten.message, code: unwritten.code }

  const secrets = [start.gateway.token]
  const output = createShellOutput(secrets, (stream, text) => log.note(OUTPUT_EVENT, { callId, stream, text }))
  const began = Date.now()
  const ran = await run(start, command, (stream, chunk) => output.write(stream, chunk), signal, groups)
  const { text, bytes, omitted } = output.end()
  if ('failure' in ran) {
    const message = mask(ran.failure, secrets)
    log.toolResult({ callId, text: message, isError: true, error: { name: 'ShellError', code: ran.code } })
    log.endStep()
    return { kind: 'error', message, code: ran.code }
  }
  const { code, signal: killedBy } = ran
  const said = [text, ending(ran, signal.aborted)].filter((part) => part !== '').join('\n')
  log.toolResult({
    callId,
    text: said === '' ? '(no output)' : said,
    isError: code !== 0,
    meta: {
      exitCode: code,
      signal: killedBy,
      durationMs: Date.now() - began,
      outputBytes: bytes,
      omittedLetters: omitted,
    },
  })
  log.endStep()
  return { kind: signal.aborted ? 'aborted' : 'completed' }
}

function ending({ code, signal }: Exit, wasStopped: boolean): string {
  if (wasStopped) return '[stopped]'
  if (signal !== null) return `[ended by ${signal}]`
  return code === 0 ? '' : `[exit code ${code}]`
}

interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

type Ran = Exit | { readonly failure: string; readonly code: string }

/** Runs a command to its end, or to the end of its whole group once `signal` is aborted. */
async function run(
  start: AgentStart,
  command: string,
  write: (stream: OutputStream, bytes: Buffer) => void,
  signal: AbortSignal,
  groups: Set<number>,
): Promise<Ran> {
  const folder = await stat(start.cwd).catch(() => undefined)
  if (!folder?.isDirectory()) {
    const failure = `The folder ${start.cwd} is not there, so nothing was run. Bring it back, or work in another session.`
    return { failure, code: 'cwd_missing' }
  }
  if (command.includes('\0')) return { failure: 'A command cannot hold a zero byte.', code: 'invalid_request' }
  if (signal.aborted) return { code: null, signal: null }
  const script = command.length > LONGEST_ARGUMENT ? await writeScript(command) : undefined
  try {
    const { file, args } = shellOf(start, script?.path ?? command, script !== undefined)
    const child = spawn(file, args, {
      cwd: start.cwd,
      env: environmentOf(start),
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own: Stop reaches everything the command has started.
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    return await watch(child, file, start, write, signal, groups)
  } finally {
    await script?.remove()
  }
}

async function watch(
  child: ChildProcess,
  file: string,
  start: AgentStart,
  write: (stream: OutputStream, bytes: Buffer) => void,
  signal: AbortSignal,
  groups: Set<number>,
): Promise<Ran> {
  const { pid } = child
  const exited = new Promise<Ran>((resolve) => {
    child.once('error', (error) => {
      const failure = `The shell ${file} could not be started: ${error.message}. Name another as "command" of the preset.`
      resolve({ failure, code: 'agent_failed' })
    })
    child.once('exit', (code, killedBy) => resolve({ code, signal: killedBy }))
  })
  const drained = new Promise<void>((resolve) => child.once('close', () => resolve()))
  let listening = true
  for (const stream of STREAMS) {
    // Always read: a full pipe would hold up what still runs. Behind the end of the turn it is thrown away.
    child[stream]?.on('data', (bytes: Buffer) => listening && write(stream, bytes))
  }
  if (pid === undefined) return exited
  groups.add(pid)
  start.onProcess(pid)
  const stop = () => void endGroup(pid)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const ran = await exited
  if (signal.aborted) await endGroup(pid)
  signal.removeEventListener('abort', stop)
  await Promise.race([drained, pause(DRAIN_MS)])
  listening = false
  if (!(await groupRuns(pid))) groups.delete(pid)
  else void drained.then(() => groups.delete(pid))
  return ran
}

/** The preset's own shell, else the user's. */
function shellOf(start: AgentStart, command: string, isFile: boolean): { file: string; args: readonly string[] } {
  const { command: named, args = [] } = start.preset
  if (process.platform === 'win32') {
    const file = named ?? start.environment['ComSpec'] ?? 'cmd.exe'
    return { file, args: named ? [...args, command] : ['/d', '/s', '/c', command] }
  }
  const file = named ?? start.environment['SHELL'] ?? '/bin/sh'
  return { file, args: isFile ? [...args, command] : [...args, '-c', command] }
}

async function writeScript(command: string): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'treeline-command-'))
  const path = join(folder, process.platform === 'win32' ? 'command.cmd' : 'command')
  await writeFile(path, command, { mode: 0o600 })
  return { path, remove: () => rm(folder, { recursive: true, force: true }) }
}
