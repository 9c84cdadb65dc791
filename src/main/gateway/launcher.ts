import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import { replaceFile } from '../settings/replace-file.ts'

/** How the command line is started from anywhere: a program, what stands before the words, and what it needs around it. */
export interface CommandLine {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/**
 * The command line that belongs to this program: built, the one beside it in `out/`; run from its sources, theirs. In
 * Electron the app itself is Node (docs/decisions), for there may be no other on the machine.
 */
export function ownCommandLine(): CommandLine {
  const isSource = import.meta.filename.endsWith('.ts')
  const program = isSource
    ? join(import.meta.dirname, '..', '..', 'cli', 'treeline.ts')
    : join(import.meta.dirname, '..', 'cli', 'treeline.js')
  const env = process.versions['electron'] === undefined ? {} : { ELECTRON_RUN_AS_NODE: '1' }
  return { command: process.execPath, args: [program], env }
}

/**
 * Writes the `treeline` command into a folder that agents get at the beginning of their PATH, anew at each start, for the
 * program may have moved. Nothing secret is in it. Fails with `io_failed`.
 */
export async function writeLauncher(folder: string, commandLine: CommandLine): Promise<Result<void>> {
  const isWindows = process.platform === 'win32'
  const path = join(folder, isWindows ? 'treeline.cmd' : 'treeline')
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await replaceFile(path, isWindows ? batchScript(commandLine) : shellScript(commandLine))
    await chmod(path, 0o700)
    return ok(undefined)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return fail(toolError('io_failed', `The command for agents, ${path}, cannot be written: ${reason}.`, { path }))
  }
}

/** The launcher for POSIX shells: every word quoted, whatever the paths hold. */
export function shellScript({ command, args, env }: CommandLine): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)} `)
  const words = [command, ...args].map(quoted).join(' ')
  return `#!/bin/sh\n${variables.join('')}exec ${words} "$@"\n`
}

/** The launcher for Windows. A path cannot hold a quote there; a percent sign must be doubled. */
export function batchScript({ command, args, env }: CommandLine): string {
  const variables = Object.entries(env).map(([name, value]) => `set "${name}=${literal(value)}"\r\n`)
  const words = [command, ...args].map((word) => `"${literal(word)}"`).join(' ')
  return `@echo off\r\nchcp 65001 >nul\r\nsetlocal\r\n${variables.join('')}${words} %*\r\n`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

function literal(text: string): string {
  return text.replaceAll('%', '%%')
}
