import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { errorCode } from './system-error.ts'

/** Git tidies its locks up on SIGTERM; after this it is killed. */
const GRACE_MS = 2000

const LOOK_EVERY_MS = 20

/**
 * What is set in the environment of every git that makes something for the worktree at `path`, and inherited by its
 * hooks: by it the next owner knows the processes that outlived a crash. Encoded, since listings of processes part
 * their fields by blanks.
 */
export function markFor(path: string): Readonly<Record<string, string>> {
  return { TREELINE_WORKTREE: encodeURIComponent(path) }
}

/**
 * Ends what a crashed Treeline has left running for the worktree at `path`: git goes on in a group of its own, and a
 * slow hook with it, and would go on writing into what is about to be removed. They are known by the mark in their
 * environment, so nobody else's process is touched.
 * @returns true if none is left. Where the system shows no environments (Windows) none is found, and files in use
 * keep the worktree from being removed.
 */
export function endSurvivors(path: string): Promise<boolean> {
  return endMarked(Object.entries(markFor(path))[0]?.join('=') ?? '')
}

/** Ends every process whose environment holds this `NAME=value`, as {@link endSurvivors} does. */
export async function endMarked(mark: string): Promise<boolean> {
  const started = Date.now()
  for (let left = await findMarked(mark); left.length > 0; left = await findMarked(mark)) {
    const waited = Date.now() - started
    if (waited > 2 * GRACE_MS) return false
    for (const pid of left) signal(pid, waited > GRACE_MS ? 'SIGKILL' : 'SIGTERM')
    await pause(LOOK_EVERY_MS)
  }
  return true
}

function findMarked(mark: string): Promise<readonly number[]> {
  if (process.platform === 'linux') return findInProc(mark)
  return process.platform === 'win32' ? Promise.resolve([]) : findByPs(mark)
}

async function findInProc(mark: string): Promise<readonly number[]> {
  const found: number[] = []
  for (const name of await readdir('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid) || pid === process.pid) continue
    // Of other users, or gone by now: none of ours.
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')
    if (environment.split('\0').includes(mark)) found.push(pid)
  }
  return found
}

async function findByPs(mark: string): Promise<readonly number[]> {
  const listing = await promisify(execFile)('ps', ['-A', '-E', '-ww', '-o', 'pid=,command='], { maxBuffer: 64e6 })
  return listing.stdout
    .split('\n')
    .filter((line) => line.split(/\s+/).includes(mark))
    .map((line) => Number.parseInt(line, 10))
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid)
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error
  }
}
