import { execFile, type ChildProcess } from 'node:child_process'
import { errorCode } from './system-error.ts'

/** How long git may tidy up (it removes its lock files on SIGTERM) before it is killed. */
const GRACE_MS = 1500

/**
 * Ends a child and everything it has started: SIGTERM to its process group, SIGKILL after a grace. The child must have
 * been spawned with `detached: true` (on Windows the process tree is ended at once). Returns when to call once the
 * child has closed: it ends whoever of the group is left and stops the timer.
 */
export function endProcessGroup(child: ChildProcess): () => void {
  const pid = child.pid
  if (pid === undefined) return () => undefined
  if (process.platform === 'win32') {
    execFile('taskkill', ['/pid', String(pid), '/t', '/f'], { windowsHide: true }, () => undefined)
    return () => undefined
  }
  signalGroup(pid, 'SIGTERM')
  const timer = setTimeout(() => signalGroup(pid, 'SIGKILL'), GRACE_MS)
  return () => {
    clearTimeout(timer)
    signalGroup(pid, 'SIGKILL')
  }
}

/** Signals a whole process group by its leader's pid. A group that is gone already is no failure. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal)
  } catch (error) {
    const code = errorCode(error)
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}
