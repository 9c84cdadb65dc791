#!/usr/bin/env node
import type { Result } from '../shared/result.ts'
import type { CallOptions } from '../main/gateway/tool-client.ts'
import { parseCommandLine } from './arguments.ts'
import { homeOf, runAsHost } from './as-host.ts'
import { runAsSession } from './as-session.ts'
import { HELP } from './help.ts'
import { printError, printResult, printWarning, progressLine } from './output.ts'

/** The exit codes: a failure that a tool answers, and a command line that cannot be understood. */
const FAILED = 1
const MISUSED = 2

/** Runs one command line and answers its exit code. Everything it has to say is printed by then. */
async function main(words: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const parsed = parseCommandLine(words)
  if (!parsed.ok) {
    printError({ code: 'invalid_request', ...parsed.error })
    return MISUSED
  }
  const command = parsed.value
  if (command.name === 'help') {
    process.stdout.write(HELP)
    return 0
  }
  const token = environment['TREELINE_TOKEN']
  if (command.name === 'mcp') {
    const { serveMcp } = await import('../main/gateway/mcp-server.ts')
    await serveMcp({ socket: environment['TREELINE_SOCKET'], token }, process.stdin, process.stdout)
    return 0
  }
  if (token) return printed((options) => runAsSession(command, token, environment['TREELINE_SOCKET'], options))
  if (command.name === 'check') {
    const { runCheck } = await import('./check.ts')
    return (await runCheck(homeOf(command, environment))) ? 0 : FAILED
  }
  if (command.name === 'serve') {
    const { runServe } = await import('./serve.ts')
    return done(await runServe(homeOf(command, environment)))
  }
  if (command.name === 'session tree') {
    const { printSessionTree } = await import('./session-tree.ts')
    return done(
      await printSessionTree(homeOf(command, environment), { ...command, folder: callersFolder(environment) }),
    )
  }
  return printed((options) => runAsHost(command, callersFolder(environment), environment, options))
}

/** The exit code of what has printed its own results. */
function done(result: Result<undefined>): number {
  if (result.ok) return 0
  printError(result.error)
  return FAILED
}

async function printed(run: (options: CallOptions) => Promise<Result<unknown>>): Promise<number> {
  const line = progressLine()
  const warnings: string[] = []
  const result = await run({
    onProgress: ({ sentence }) => line.show(sentence),
    onWarning: (sentence) => warnings.push(sentence),
  })
  line.end()
  if (!result.ok) {
    printError(result.error)
    return FAILED
  }
  printResult(result.value)
  // Only of what was done: a failed creation has taken back what they are about.
  for (const sentence of warnings) printWarning(sentence)
  return 0
}

/** A folder that was removed under the shell has no name any more but the one the shell remembers; a tool then refuses it. */
function callersFolder(environment: NodeJS.ProcessEnv): string {
  try {
    return process.cwd()
  } catch {
    return environment['PWD'] ?? '.'
  }
}

// Whoever reads the output may have read enough, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

// No process.exit: it would cut off output that is still on its way into a pipe.
try {
  process.exitCode = await main(process.argv.slice(2), process.env)
} catch (bug) {
  printError({
    code: 'internal',
    message: `Treeline has a fault of its own: ${bug instanceof Error ? (bug.stack ?? bug.message) : String(bug)}`,
  })
  process.exitCode = FAILED
}
