import { spawn } from 'node:child_process'
import { constants } from 'node:os'

const windows = process.platform === 'win32'
/** @type {NodeJS.Signals[]} */
const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP']
const patience = 5000

/**
 * Runs a program as if it were this one: same terminal, and Ctrl-C or a `kill` of this process ends it and everything it
 * has started. It gets a process group of its own, so that one signal reaches all of it exactly once.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, timeLimit?: number, quietLine?: (line: string) => boolean }} [options]
 *   `timeLimit` in milliseconds; lines on stderr for which `quietLine` is true are not shown
 * @returns {Promise<{ code: number, stopped: boolean, late: boolean }>} `stopped` by a signal to us, `late` by the limit;
 *   rejects when the program cannot be started
 */
export function runInForeground(command, args, { cwd, env, timeLimit, quietLine } = {}) {
  return new Promise((settle, fail) => {
    const child = spawn(command, args, {
      cwd,
      env: env ?? process.env,
      stdio: ['inherit', 'inherit', quietLine === undefined ? 'inherit' : 'pipe'],
      detached: !windows,
    })
    let stopped = false
    let late = false
    /** @param {NodeJS.Signals} signal */
    const send = (signal) => {
      if (child.pid === undefined) return
      try {
        if (windows) child.kill(signal)
        else process.kill(-child.pid, signal)
      } catch {
        // The whole group has ended.
      }
    }
    /** @type {NodeJS.Timeout | undefined} */
    let lastResort
    /** @param {NodeJS.Signals} signal */
    const end = (signal) => {
      // npm and the terminal may both deliver the same Ctrl-C; tools take a second one as "stop cleaning up".
      if (lastResort !== undefined) return
      send(signal)
      lastResort = setTimeout(() => send('SIGKILL'), patience)
    }
    /** @param {NodeJS.Signals} signal */
    const onSignal = (signal) => {
      stopped = true
      end(signal)
    }
    for (const signal of forwarded) process.on(signal, onSignal)
    const orphaned = whenParentEnds(() => onSignal('SIGTERM'))
    const limit =
      timeLimit &&
      setTimeout(() => {
        late = true
        end('SIGTERM')
      }, timeLimit)

    if (quietLine !== undefined) showOtherLines(child.stderr, quietLine)
    const cleanUp = () => {
      for (const signal of forwarded) process.off(signal, onSignal)
      clearInterval(orphaned)
      clearTimeout(limit)
      clearTimeout(lastResort)
    }
    child.once('error', (error) => {
      cleanUp()
      fail(error)
    })
    child.once('close', (code, signal) => {
      // What the program left running belongs to it.
      if (stopped || late) send('SIGKILL')
      cleanUp()
      settle({ code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]), stopped, late })
    })
  })
}

/**
 * A signal to `npm start` does not reach its script: npm passes it to a shell in between, which ends without passing it on. So
 * under npm the end of the parent counts as a signal.
 * @param {() => void} act
 * @returns {NodeJS.Timeout | undefined} to be cleared
 */
function whenParentEnds(act) {
  if (windows || process.env['npm_lifecycle_event'] === undefined) return undefined
  const parent = process.ppid
  return setInterval(() => {
    if (process.ppid !== parent) act()
  }, 500)
}

/**
 * @param {import('node:stream').Readable | null} stream
 * @param {(line: string) => boolean} quietLine
 */
function showOtherLines(stream, quietLine) {
  let rest = ''
  stream?.setEncoding('utf8')
  stream?.on('data', (/** @type {string} */ text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (!quietLine(line)) process.stderr.write(`${line}\n`)
  })
  stream?.on('end', () => {
    if (rest !== '' && !quietLine(rest)) process.stderr.write(rest)
  })
}
