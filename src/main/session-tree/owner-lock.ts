import { randomBytes } from 'node:crypto'
import { uptime } from 'node:os'
import { dirname } from 'node:path'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError, type ToolError } from '../../shared/tool-error.ts'
import { errorCode } from './error-code.ts'
import {
  generationPath,
  highestGeneration,
  lockFiles,
  parseRecord,
  privatePath,
  removeLeftovers,
  type LockFiles,
  type OwnerInfo,
  type OwnerRecord,
  type OwningApp,
} from './owner-lock-files.ts'
import { livenessOf, ownIdentity } from './owner-lock-process.ts'

/*
 * One process owns a home at a time (design §2.3). The lock folder holds generations `<n>.json`; the highest one says
 * who owns the home, or did. To own it is to have made the file after a highest one whose process is gone.
 *
 * Why two processes can never both own it:
 * - The highest number never falls: the highest file is never removed, an owner removes older ones only.
 * - A file appears whole, under a number nobody has: it is written apart, then linked, which fails if the name exists.
 * - The maker then looks again. Someone who saw an old highest file, slept while others came, went and removed what he
 *   saw, can still link an old number; but then a higher one was there before his link, and he sees it and gives up.
 * - So an owner's number was the highest at one moment after he made it. Any later owner must have found that file, or
 *   one above it, with its process gone or its release written.
 *
 * Ownership ends with the process, however it ends: nobody has to clean up for the next to start.
 */

/** A home this process owns. */
export interface OwnedLock {
  readonly owner: OwnerInfo
  /** Tells others where the owner can be talked to. Fails with `io_failed`; the home stays owned. */
  announce(socket: string): Promise<Result<OwnerInfo>>
  /** Gives the home back. Safe to call twice. Fails with `io_failed`; the home is then free once the process ends. */
  release(): Promise<Result<null>>
}

/** Why a home could not be had; `owner` where it is known who has it. */
export type AcquireFailure = ToolError & { readonly owner?: OwnerInfo }

/** Every further attempt means that another process got the home in between, and lost it again. */
const MOST_ATTEMPTS = 200

/**
 * Takes ownership of the home whose lock folder this is; creates the folder. Never waits for an owner.
 * @returns the lock, or `home_owned` with the owner, or `io_failed`.
 */
export async function acquireHome(
  lockFolder: string,
  description: { readonly app: OwningApp; readonly socket?: string },
  files: LockFiles = lockFiles,
): Promise<Result<OwnedLock, AcquireFailure>> {
  const record: OwnerRecord = { ...(await ownIdentity()), ...description, since: Date.now() }
  const prepared = privatePath(lockFolder, nonce())
  try {
    await files.makeFolder(lockFolder)
    await files.write(prepared, textOf(record))
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const seen = await look(lockFolder, files)
      if (seen.state === 'owned') return fail(ownedError(lockFolder, seen.record, seen.elsewhere))
      if (seen.state === 'unclear') return fail(unclearError(generationPath(lockFolder, seen.generation)))
      const own = seen.generation + 1
      const claimed = await claim(prepared, generationPath(lockFolder, own), files)
      if (claimed === 'swept') await files.write(prepared, textOf(record))
      if (claimed !== 'made') continue
      if ((await highestGeneration(lockFolder, files)) > own) {
        await files.remove(generationPath(lockFolder, own))
        continue
      }
      await removeLeftovers(lockFolder, own, files)
      return ok(ownedLock(lockFolder, own, record, files))
    }
    return fail(ioError(lockFolder, new Error('it changed hands again and again')))
  } catch (error) {
    return fail(ioError(lockFolder, error))
  } finally {
    await files.remove(prepared).catch(() => undefined)
  }
}

/**
 * Who owns the home now; undefined if nobody does, or if nobody can tell. Writes nothing and needs no lock.
 * Throws nothing: a folder that cannot be read has no owner that could be talked to.
 */
export async function readOwner(lockFolder: string): Promise<OwnerInfo | undefined> {
  const seen = await look(lockFolder, lockFiles).catch(() => undefined)
  return seen?.state === 'owned' ? infoOf(seen.record) : undefined
}

type Seen =
  | { readonly state: 'free' | 'unclear'; readonly generation: number }
  | { readonly state: 'owned'; readonly generation: number; readonly record: OwnerRecord; readonly elsewhere: boolean }

async function look(lockFolder: string, files: LockFiles): Promise<Seen> {
  for (let attempt = 1; ; attempt += 1) {
    const generation = await highestGeneration(lockFolder, files)
    if (generation === 0) return { state: 'free', generation }
    const path = generationPath(lockFolder, generation)
    try {
      const record = parseRecord(await files.read(path))
      if (record === undefined) return { state: await judgeDamaged(path, files), generation }
      if (record.released) return { state: 'free', generation }
      const liveness = await livenessOf(record)
      if (liveness === 'dead') return { state: 'free', generation }
      return { state: 'owned', generation, record, elsewhere: liveness === 'elsewhere' }
    } catch (error) {
      // Removed since it was listed: then there is a higher one by now.
      if (errorCode(error) !== 'ENOENT' || attempt === MOST_ATTEMPTS) throw error
    }
  }
}

/**
 * A generation appears whole, so a damaged one was spoiled afterwards: by a loss of power, or by a foreign hand. After a
 * loss of power the file is older than the running system, no process has outlived that, and the home is free. A
 * younger one may belong to a process that is alive: nobody may guess, a person has to look.
 */
async function judgeDamaged(path: string, files: LockFiles): Promise<'free' | 'unclear'> {
  const startedAt = Date.now() - uptime() * 1000
  return (await files.changedAt(path)) < startedAt ? 'free' : 'unclear'
}

/** `taken`: another process was faster. `swept`: an owner in another container took the prepared file for a leftover. */
async function claim(prepared: string, path: string, files: LockFiles): Promise<'made' | 'taken' | 'swept'> {
  try {
    await files.link(prepared, path)
    return 'made'
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return 'taken'
    if (errorCode(error) === 'ENOENT') return 'swept'
    throw error
  }
}

function ownedLock(lockFolder: string, generation: number, first: OwnerRecord, files: LockFiles): OwnedLock {
  const path = generationPath(lockFolder, generation)
  let record = first
  let last: Promise<unknown> = Promise.resolve()

  /** One change after the other; after the release none, since the home may have a new owner. */
  function change(next: (now: OwnerRecord) => OwnerRecord): Promise<Result<null>> {
    const changed = last.then(async (): Promise<Result<null>> => {
      if (record.released) return ok(null)
      const wanted = next(record)
      const prepared = privatePath(lockFolder, nonce())
      try {
        await files.write(prepared, textOf(wanted))
        await files.rename(prepared, path)
        record = wanted
        return ok(null)
      } catch (error) {
        await files.remove(prepared).catch(() => undefined)
        return fail(ioError(lockFolder, error))
      }
    })
    last = changed
    return changed
  }

  return {
    get owner() {
      return infoOf(record)
    },
    async announce(socket) {
      const changed = await change((now) => ({ ...now, socket }))
      return changed.ok ? ok(infoOf(record)) : changed
    },
    release: () => change((now) => ({ ...now, released: true })),
  }
}

function infoOf({ pid, app, socket, since }: OwnerRecord): OwnerInfo {
  return { pid, app, since, ...(socket === undefined ? {} : { socket }) }
}

function textOf(record: OwnerRecord): string {
  return `${JSON.stringify(record)}\n`
}

function nonce(): string {
  return randomBytes(8).toString('hex')
}

const PROGRAM: Readonly<Record<OwningApp, string>> = {
  window: 'The Treeline window',
  'command line': 'A treeline command',
  serve: 'A treeline service',
}

function ownedError(lockFolder: string, record: OwnerRecord, elsewhere: boolean): AcquireFailure {
  const home = dirname(dirname(lockFolder))
  const who = `${PROGRAM[record.app]} (process ${record.pid}, since ${new Date(record.since).toISOString()})`
  const [machine = ''] = record.machine.split(' ')
  const message = elsewhere
    ? `${who} on "${machine}", another machine or container, owns ${home}, and whether it still runs cannot be seen from here. Close it there; if it is gone for good, delete the folder ${lockFolder}.`
    : `${who} owns ${home}. Only one program may write there at a time: use that one, or close it and try again.`
  return { ...toolError('home_owned', message, { path: home }), owner: infoOf(record) }
}

function unclearError(path: string): AcquireFailure {
  const message = `${path} is damaged, so it cannot be told who owns this home. Close every Treeline that uses it, then delete that file and try again.`
  return toolError('home_owned', message, { path })
}

function ioError(lockFolder: string, error: unknown): ToolError {
  const reason = error instanceof Error ? error.message : String(error)
  const message = `The lock in ${lockFolder} could not be changed: ${reason}. Check that the folder can be written and that its disk is not full.`
  return toolError('io_failed', message, { path: lockFolder })
}
