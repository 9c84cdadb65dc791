import { execFile } from 'node:child_process'
import { readFile, readlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { performance } from 'node:perf_hooks'
import { errorCode } from './error-code.ts'

/**
 * What tells one process from every other, also after its number was given to someone else. A process number alone does
 * not: it is reused, after a restart of the machine at once.
 */
export interface ProcessIdentity {
  readonly pid: number
  /** When the process began: clock ticks since boot on Linux, milliseconds since the epoch elsewhere. '' if unknown. */
  readonly started: string
  /** Linux: the boot the ticks count from. '' elsewhere: their start times do not restart at a boot. */
  readonly boot: string
  /** Linux: the namespace the process number counts in (a container has its own). '' elsewhere. */
  readonly space: string
  /** Which machine; only to be compared. */
  readonly machine: string
}

/** `elsewhere`: on another machine or in another container, so this process cannot know. */
export type Liveness = 'alive' | 'dead' | 'elsewhere'

/** Start times read from outside are coarse (macOS: 1 s) and a runtime takes its own reading a little late. */
const START_TOLERANCE_MS = 10_000

/** Who this process is. Reads four small files on Linux, nothing on Windows; never fails. */
export async function ownIdentity(): Promise<ProcessIdentity> {
  if (process.platform === 'linux') return identityOf(process.pid)
  return { pid: process.pid, started: String(Math.round(performance.timeOrigin)), ...(await ownPlace()) }
}

/** Who the process of this number is now; `started` is '' where the system does not say. Never fails. */
export async function identityOf(pid: number): Promise<ProcessIdentity> {
  const [place, started] = await Promise.all([ownPlace(), startOf(pid)])
  return { pid, started: started === undefined ? '' : String(started), ...place }
}

async function startOf(pid: number): Promise<string | number | undefined> {
  if (process.platform === 'linux') return startTicks(await textOf(`/proc/${pid}/stat`))?.ticks
  return process.platform === 'win32' ? startByPowerShell(pid) : startByPs(pid)
}

/**
 * Whether the process that once described itself so still runs. A process that has ended but was not yet collected by
 * its parent (a zombie) is dead: it writes no more. Where a start time cannot be read, a process with that number is
 * taken to be the one: an owner too many only refuses, an owner too few writes into the other's log.
 */
export async function livenessOf(identity: ProcessIdentity): Promise<Liveness> {
  const here = await ownPlace()
  if (identity.boot !== here.boot) return identity.machine === here.machine ? 'dead' : 'elsewhere'
  if (here.boot === '' && identity.machine !== here.machine) return 'elsewhere'
  if (identity.space !== here.space) return 'elsewhere'
  if (!isRunning(identity.pid)) return 'dead'
  if (identity.started === '') return 'alive'
  if (process.platform === 'linux') {
    const found = startTicks(await textOf(`/proc/${identity.pid}/stat`))
    if (found === undefined) return isRunning(identity.pid) ? 'alive' : 'dead'
    return found.ended || found.ticks !== identity.started ? 'dead' : 'alive'
  }
  const started = process.platform === 'win32' ? await startByPowerShell(identity.pid) : await startByPs(identity.pid)
  if (started === undefined) return isRunning(identity.pid) ? 'alive' : 'dead'
  return Math.abs(started - Number(identity.started)) <= START_TOLERANCE_MS ? 'alive' : 'dead'
}

/** True if a process has this number. One that may not be signalled exists all the same. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) !== 'ESRCH'
  }
}

/** Field 22 of `/proc/<pid>/stat`, and whether field 3 says that the process has ended. Undefined for anything else. */
export function startTicks(stat: string): { readonly ticks: string; readonly ended: boolean } | undefined {
  // Field 2 is the program's name in parentheses and may hold blanks and parentheses itself.
  const fields = stat.slice(stat.lastIndexOf(')') + 1).trim()
  const [state, ...rest] = fields.split(' ')
  const ticks = rest[18]
  if (state === undefined || ticks === undefined || !/^\d+$/.test(ticks)) return undefined
  return { ticks, ended: state === 'Z' || state === 'X' }
}

/** When a process began, as `ps` says it (macOS and the BSDs), in ms since the epoch; undefined if there is none. */
export async function startByPs(pid: number): Promise<number | undefined> {
  const shown = await output('ps', ['-o', 'lstart=', '-p', String(pid)], { LC_ALL: 'C', TZ: 'UTC' })
  const started = Date.parse(`${shown} UTC`)
  return Number.isNaN(started) ? undefined : started
}

async function startByPowerShell(pid: number): Promise<number | undefined> {
  const asked = `([DateTimeOffset](Get-Process -Id ${pid}).StartTime).ToUnixTimeMilliseconds()`
  const shown = await output('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', asked], {})
  return /^\d+$/.test(shown) ? Number(shown) : undefined
}

type Place = Pick<ProcessIdentity, 'boot' | 'space' | 'machine'>
let place: Promise<Place> | undefined

/** Does not change while a process lives, so it is asked once. */
function ownPlace(): Promise<Place> {
  place ??= readPlace()
  return place
}

async function readPlace(): Promise<Place> {
  if (process.platform !== 'linux') return { boot: '', space: '', machine: await machineName() }
  const [boot, space, machine] = await Promise.all([
    textOf('/proc/sys/kernel/random/boot_id'),
    readlink('/proc/self/ns/pid').catch(() => ''),
    textOf('/etc/machine-id'),
  ])
  // Images of containers often carry the same machine id, or none: the name tells them apart.
  return { boot, space, machine: `${hostname()} ${machine}`.trim() }
}

/** macOS changes its host name with the network, so the hardware is asked there; elsewhere the name will do. */
async function machineName(): Promise<string> {
  if (process.platform !== 'darwin') return hostname()
  const shown = await output('ioreg', ['-rd1', '-c', 'IOPlatformExpertDevice'], {})
  return /"IOPlatformUUID" = "([^"]+)"/.exec(shown)?.[1] ?? hostname()
}

async function textOf(path: string): Promise<string> {
  // A missing file means "unknown", which every caller treats as a value of its own.
  return (await readFile(path, 'utf8').catch(() => '')).trim()
}

function output(command: string, args: readonly string[], environment: Record<string, string>): Promise<string> {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ...environment }, timeout: 5000, windowsHide: true }
    execFile(command, args, options, (error, stdout) => resolve(error ? '' : stdout.trim()))
  })
}
