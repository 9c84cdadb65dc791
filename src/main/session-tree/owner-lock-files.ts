import { link, mkdir, open, readFile, readdir, rename, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { errorCode } from './error-code.ts'
import { isRunning, type ProcessIdentity } from './owner-lock-process.ts'

/** Which program owns a home. */
export type OwningApp = 'window' | 'command line' | 'serve'

/** Who owns a home, for those who look. */
export interface OwnerInfo {
  readonly pid: number
  readonly app: OwningApp
  /** Where it can be talked to, once it listens. */
  readonly socket?: string
  /** Milliseconds since the epoch. */
  readonly since: number
}

/** One generation of the lock, as `<n>.json` holds it. */
export interface OwnerRecord extends OwnerInfo, ProcessIdentity {
  readonly released?: true
}

/**
 * The file operations of the lock, one by one: tests pass their own to stop a process between any two of them. The
 * default is the real file system.
 */
export interface LockFiles {
  readonly makeFolder: (path: string) => Promise<void>
  readonly names: (path: string) => Promise<readonly string[]>
  readonly read: (path: string) => Promise<string>
  readonly changedAt: (path: string) => Promise<number>
  /** Creates a file that must not exist yet, readable by its owner only, and makes it durable. */
  readonly write: (path: string, text: string) => Promise<void>
  /** Gives a file a second name, which must not exist yet. */
  readonly link: (from: string, to: string) => Promise<void>
  readonly rename: (from: string, to: string) => Promise<void>
  readonly remove: (path: string) => Promise<void>
}

export const lockFiles: LockFiles = {
  async makeFolder(path) {
    await mkdir(path, { recursive: true, mode: 0o700 })
  },
  names: (path) => readdir(path),
  read: (path) => patiently(() => readFile(path, 'utf8')),
  changedAt: async (path) => (await stat(path)).mtimeMs,
  async write(path, text) {
    const file = await open(path, 'wx', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
  },
  link,
  rename: (from, to) => patiently(() => rename(from, to)),
  remove: unlink,
}

/** Windows refuses for a moment while another program (a virus scanner, a reader) has the file open. */
async function patiently<Value>(operation: () => Promise<Value>): Promise<Value> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await operation()
    } catch (error) {
      const passing = process.platform === 'win32' && ['EPERM', 'EACCES', 'EBUSY'].includes(errorCode(error) ?? '')
      if (!passing || attempt === 25) throw error
      await setTimeout(20)
    }
  }
}

const GENERATION = /^([1-9][0-9]{0,14})\.json$/
const PRIVATE_FILE = /^\.([0-9]{1,10})-[0-9a-f]+\.tmp$/

/** The file of generation `n`. */
export function generationPath(lockFolder: string, generation: number): string {
  return join(lockFolder, `${generation}.json`)
}

/** A name no other process uses, and that tells whose it is. */
export function privatePath(lockFolder: string, nonce: string): string {
  return join(lockFolder, `.${process.pid}-${nonce}.tmp`)
}

/** The highest generation in the folder; 0 where there is none. A folder that is not there has none. */
export async function highestGeneration(lockFolder: string, files: LockFiles): Promise<number> {
  const names = await files.names(lockFolder).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  })
  let highest = 0
  for (const name of names) highest = Math.max(highest, Number(GENERATION.exec(name)?.[1] ?? 0))
  return highest
}

/**
 * How many generations below the own an owner leaves. A listing is not one instant: it may miss a file that is removed
 * while it runs. With these kept, that needs as many owners one after the other during one listing.
 */
const KEPT_GENERATIONS = 8

/** Removes what former owners left. Nothing here matters to the lock, so a file that stays is left to the next owner. */
export async function removeLeftovers(lockFolder: string, own: number, files: LockFiles): Promise<void> {
  const names = await files.names(lockFolder).catch(() => [])
  for (const name of names) {
    const generation = Number(GENERATION.exec(name)?.[1] ?? Number.NaN)
    const writer = Number(PRIVATE_FILE.exec(name)?.[1] ?? Number.NaN)
    const isOld = generation < own - KEPT_GENERATIONS || (writer >= 0 && !isRunning(writer))
    if (isOld) await files.remove(join(lockFolder, name)).catch(() => undefined)
  }
}

/** Reads a generation's text; undefined if it is damaged. Fields a later version adds are left alone. */
export function parseRecord(text: string): OwnerRecord | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isRecord(value)) return undefined
  const { pid, started, boot, space, machine, app, socket, since, released } = value
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return undefined
  if (typeof started !== 'string' || typeof boot !== 'string' || typeof space !== 'string') return undefined
  if (typeof machine !== 'string' || typeof since !== 'number') return undefined
  if (app !== 'window' && app !== 'command line' && app !== 'serve') return undefined
  return {
    pid,
    started,
    boot,
    space,
    machine,
    app,
    since,
    ...(typeof socket === 'string' ? { socket } : {}),
    ...(released === true ? { released } : {}),
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
