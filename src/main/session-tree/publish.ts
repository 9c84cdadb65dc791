import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError, type ToolError } from '../../shared/tool-error.ts'
import { errorCode } from './error-code.ts'
import { ioFailure } from './io-failure.ts'
import { UNPUBLISHED_PREFIX } from './layout.ts'
import type { SessionPlace } from './session-tree.ts'
import { createReading } from './tree-reading.ts'
import { allPlaces } from './tree-walk.ts'

const PRIVATE = 0o700

/**
 * Makes a session's directory whole or not at all: filled under a temporary name in the same folder, fsynced, renamed,
 * and the folders above fsynced (design §3). What a failure leaves is nothing, not even an empty `forks/`.
 * @param fill writes and fsyncs the log at the path it is given.
 * @returns `session_exists` if the directory is there, whoever was first; `io_failed`; or what `fill` answered.
 */
export async function publishSession(
  place: SessionPlace,
  fill: (logPath: string) => Promise<Result<void>>,
): Promise<Result<void>> {
  const folder = dirname(place.directory)
  const temporary = join(folder, `${UNPUBLISHED_PREFIX}${randomUUID()}`)
  let made: readonly string[] = []
  let published = false
  try {
    made = await makeTemporary(folder, temporary)
    const outcome = await fillAndRename(place, temporary, fill)
    published = outcome.ok
    if (!outcome.ok) return outcome
    // The rename is durable once its folder is, and a new folder once the one above it is.
    await syncDirectory(folder)
    for (const parent of made) await syncDirectory(dirname(parent))
    return outcome
  } catch (error) {
    return fail(ioFailure(error, 'create the session', place.directory))
  } finally {
    if (!published) await unmake(temporary, made)
  }
}

/** Takes back what a failed creation made. What cannot be removed now is swept by the next owner. */
async function unmake(temporary: string, made: readonly string[]): Promise<void> {
  await rm(temporary, { recursive: true, force: true }).catch(() => undefined)
  await removeIfEmpty(made)
}

async function fillAndRename(
  place: SessionPlace,
  temporary: string,
  fill: (logPath: string) => Promise<Result<void>>,
): Promise<Result<void>> {
  try {
    const filled = await fill(join(temporary, 'session.jsonl'))
    if (!filled.ok) return filled
    await syncDirectory(temporary)
    // An empty directory would be replaced without a word, and it is a session too: one whose log is missing.
    if (await exists(place.directory)) return fail(sessionExists(place))
    await rename(temporary, place.directory)
    return ok(undefined)
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return fail(sessionExists(place))
    return fail(ioFailure(error, 'create the session', place.directory))
  }
}

/** Says that an id is taken, and where. */
export function sessionExists(place: SessionPlace): ToolError {
  return toolError('session_exists', `The session ${place.id} is there already, at ${place.directory}.`, {
    path: place.directory,
  })
}

/**
 * Makes the temporary directory and whatever folders it stands in, the outermost first.
 * @returns the folders that were not there before.
 */
async function makeTemporary(folder: string, temporary: string): Promise<string[]> {
  // Another creation that failed may remove the shared folder between the two calls: then it is made again.
  for (let attempt = 1; ; attempt++) {
    const first = await mkdir(folder, { recursive: true, mode: PRIVATE })
    try {
      await mkdir(temporary, { mode: PRIVATE })
      return first === undefined ? [] : foldersDownTo(first, folder)
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' || attempt === 10) throw error
    }
  }
}

function foldersDownTo(first: string, last: string): string[] {
  const folders = [last]
  for (let folder = last; folder !== first && folder !== dirname(folder);) {
    folder = dirname(folder)
    folders.unshift(folder)
  }
  return folders
}

/** Removes folders that hold nothing, the innermost first; one that holds something is somebody else's by now. */
async function removeIfEmpty(folders: readonly string[]): Promise<void> {
  for (const folder of folders.toReversed()) {
    const removed = await rmdir(folder).then(
      () => true,
      () => false,
    )
    if (!removed) return
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: unknown) => {
      if (errorCode(error) === 'ENOENT') return false
      throw error
    },
  )
}

async function syncDirectory(directory: string): Promise<void> {
  // Windows can neither open nor flush a directory; its renames are written through.
  if (process.platform === 'win32') return
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Removes what creations left behind when their process was killed, and the folders made for them. For the home's owner
 * only, before it creates anything itself.
 * @returns the directories removed.
 */
export async function sweepUnpublished(root: string): Promise<string[]> {
  const removed = await sweepFolder(root)
  for await (const place of allPlaces(root, createReading())) {
    for (const name of ['forks', 'subagents']) {
      const folder = join(place.directory, name)
      const found = await sweepFolder(folder)
      removed.push(...found)
      if (found.length > 0) await removeIfEmpty([folder])
    }
  }
  return removed
}

async function sweepFolder(folder: string): Promise<string[]> {
  const removed: string[] = []
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(UNPUBLISHED_PREFIX)) continue
    await rm(join(folder, name), { recursive: true, force: true })
    removed.push(join(folder, name))
  }
  return removed
}
