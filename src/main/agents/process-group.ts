import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { signalGroup } from '../worktrees/process-group.ts'

/** How long an agent may take to end by itself once it was asked. */
export const GRACE_MS = 5000

/** What cannot be killed (it waits in the kernel) is not waited for. */
const AFTER_KILL_MS = 2000
const LOOK_EVERY_MS = 50

/**
 * Ends a process group, asked first: SIGTERM, and SIGKILL for whoever is left after the grace. On Windows the process tree
 * is ended at once.
 * @param leader the pid of the process that was started with `detached: true`.
 * @returns true once none of the group runs.
 */
export async function endGroup(leader: number, graceMs = GRACE_MS): Promise<boolean> {
  if (process.platform === 'win32') {
    await new Promise<void>((resolve) => {
      execFile('taskkill', ['/pid', String(leader), '/t', '/f'], { windowsHide: true }, () => resolve())
    })
    return true
  }
  signalGroup(leader, 'SIGTERM')
  if (await isGone(leader, graceMs)) return true
  signalGroup(leader, 'SIGKILL')
  return isGone(leader, AFTER_KILL_MS)
}

async function isGone(leader: number, withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs
  while (await groupRuns(leader)) {
    if (Date.now() >= deadline) return false
    await pause(LOOK_EVERY_MS)
  }
  return true
}

/** True while a member of the group runs. One that has ended and was not collected by its parent does not count. */
export async function groupRuns(leader: number): Promise<boolean> {
  if (!exists(leader)) return false
  return process.platform === 'linux' ? hasLivingMember(leader) : true
}

function exists(leader: number): boolean {
  try {
    process.kill(-leader, 0)
    return true
  } catch {
    // No such group, or none that is ours to signal.
    return false
  }
}

/** Where nobody collects orphans (a container without an init) ended processes stay in the group for ever. */
async function hasLivingMember(leader: number): Promise<boolean> {
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    // Field 2 is the program's name in parentheses; then state, parent, group.
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (Number(group) === leader && state !== 'Z' && state !== 'X') return true
  }
  return false
}
