import { spawn, type ChildProcess } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { Readable, Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { setTimeout as pause } from 'node:timers/promises'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import type { AgentExit, AgentStart } from './agent.ts'
import { environmentOf } from './agent-environment.ts'
import { createMasker } from './masking.ts'
import { endGroup } from './process-group.ts'

/** The process of an agent, which leads a group of its own. */
export interface AcpProcess {
  readonly input: WritableStream<Uint8Array>
  readonly output: ReadableStream<Uint8Array>
  /** Resolves once nothing of its group runs any more. */
  readonly ended: Promise<AgentExit>
  /** Closes its input, asks its group to end, and ends it after the grace. */
  stop(): Promise<void>
}

const LAST_WORDS = 2000
/** What an agent has started may keep its pipes open; so long is waited for the rest of what it said. */
const DRAIN_MS = 200

/**
 * Starts the preset's program in the session's folder, without a shell.
 * Fails with `cwd_missing`, `preset_invalid` (no command) or `agent_failed` (it cannot be run).
 */
export async function startAcpProcess(start: AgentStart): Promise<Result<AcpProcess>> {
  const { cwd, preset, gateway } = start
  const { command, args = [] } = preset
  if (command === undefined) {
    return fail(toolError('preset_invalid', `The preset ${preset.id} names no command to start.`, { field: 'command' }))
  }
  const folder = await stat(cwd).catch(() => undefined)
  if (!folder?.isDirectory()) {
    const message = `The folder ${cwd} is not there, so no agent can work in it. Bring it back, or work in another session.`
    return fail(toolError('cwd_missing', message, { field: 'cwd', path: cwd }))
  }
  const child = spawn(command, [...args], {
    cwd,
    env: environmentOf(start),
    stdio: ['pipe', 'pipe', 'pipe'],
    // A group of its own: stopping reaches everything the agent has started.
    detached: process.platform !== 'win32',
    windowsHide: true,
  })
  if (child.pid !== undefined) start.onProcess(child.pid)
  const lastWords = keepLastWords(child, [gateway.token])
  // Writing to an agent that has gone away is told by its end.
  child.stdin.on('error', () => undefined)
  const failure = await new Promise<Error | undefined>((resolve) => {
    child.once('spawn', () => resolve(undefined))
    child.once('error', resolve)
  })
  const { pid } = child
  if (failure || pid === undefined) {
    const reason = failure?.message ?? 'it has no process'
    const message = `${preset.label} could not be started: ${reason}. Install it, or correct the command of the preset ${preset.id}.`
    return fail(toolError('agent_failed', message))
  }
  const ended = new Promise<AgentExit>((resolve) => {
    const drained = new Promise<void>((told) => child.once('close', () => told()))
    child.once('exit', (code, signal) => {
      void (async () => {
        await Promise.race([drained, pause(DRAIN_MS)])
        await endGroup(pid)
        resolve({ code, signal, lastWords: lastWords() })
      })()
    })
  })
  return ok({
    input: Writable.toWeb(child.stdin),
    output: bytesOf(child.stdout),
    ended,
    async stop() {
      child.stdin.destroy()
      await endGroup(pid)
      await ended
    },
  })
}

/** Standard output as it comes. Its failure is its end: the process tells how it went. */
function bytesOf(output: Readable): ReadableStream<Uint8Array> {
  let isOpen = true
  return new ReadableStream({
    start(controller) {
      const close = () => {
        if (isOpen) controller.close()
        isOpen = false
      }
      // Read always, also when nobody takes it any more: a full pipe would hold the agent up.
      output.on('data', (bytes: Buffer) => isOpen && controller.enqueue(new Uint8Array(bytes)))
      for (const event of ['end', 'close', 'error']) output.once(event, close)
    },
    cancel() {
      isOpen = false
    },
  })
}

/** Standard error, read always; only its end is kept. */
function keepLastWords({ stderr }: ChildProcess, secrets: readonly string[]): () => string {
  const decoder = new StringDecoder('utf8')
  const masker = createMasker(secrets)
  let kept = ''
  stderr?.on('error', () => undefined)
  stderr?.on('data', (bytes: Buffer) => {
    kept = (kept + masker.push(decoder.write(bytes))).slice(-LAST_WORDS)
  })
  return () => (kept + masker.push(decoder.end()) + masker.end()).slice(-LAST_WORDS)
}
