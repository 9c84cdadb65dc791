import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A `treeline serve` that runs. */
export interface ServeProcess {
  readonly pid: number
  /** The line it prints when it is ready; undefined if it ended before. */
  readonly ready: Promise<ReadyLine | undefined>
  /** Ends it with this signal and waits until it is gone. */
  end(signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<{ readonly code: number | null; readonly stderr: string }>
}

interface ReadyLine {
  readonly ready: true
  readonly home: string
  readonly pid: number
  readonly socket: string
}

/** @param program the command line: built, or its source. */
export function startServe(program: string, home: string, cwd: string): ServeProcess {
  const { TREELINE_TOKEN: _token, TREELINE_SOCKET: _socket, ...env } = process.env
  const child = spawn(process.execPath, [program, 'serve', '--home', home], {
    cwd,
    env: { ...env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const closed = once(child, 'close')
  const ready = new Promise<ReadyLine | undefined>((resolve) => {
    createInterface({ input: child.stdout }).once('line', (line) => {
      const said: ReadyLine = JSON.parse(line)
      resolve(said)
    })
    void closed.then(() => resolve(undefined))
  })
  return {
    pid: child.pid ?? 0,
    ready,
    async end(signal) {
      child.kill(signal)
      await closed
      return { code: child.exitCode, stderr }
    },
  }
}
