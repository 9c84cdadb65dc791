import { spawn } from 'node:child_process'

/** @typedef {{ code: number | null, signal: NodeJS.Signals | null, output: string, missing: boolean }} Outcome */

const keptOutput = 64 * 1024

/**
 * Runs a program to its end without a shell and keeps the tail of what it printed on both streams.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, signal?: AbortSignal, onLine?: (line: string) => void }} [options] an
 *   aborted signal ends the program; `onLine` gets the newest line it has printed
 * @returns {Promise<Outcome>} `missing` when there is no such program; never rejects
 */
export function runProgram(command, args, { onLine, ...options } = {}) {
  return new Promise((settle) => {
    let output = ''
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], killSignal: 'SIGKILL' })
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8')
      stream.on('data', (text) => {
        output = (output + text).slice(-keptOutput)
        onLine?.(output.trimEnd().split('\n').at(-1) ?? '')
      })
    }
    // An abort is reported as an error too; what was printed until then is worth more than that message.
    child.on('error', (error) => {
      const missing = 'code' in error && error.code === 'ENOENT'
      if (child.pid === undefined) settle({ code: null, signal: null, output: error.message, missing })
    })
    child.on('close', (code, signal) => settle({ code, signal, output, missing: false }))
  })
}

/**
 * @param {string} output
 * @param {number} lines
 * @returns {string} the last lines that are not blank
 */
export function lastLines(output, lines = 15) {
  return output
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-lines)
    .join('\n')
}
