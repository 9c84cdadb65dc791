import { readdir } from 'node:fs/promises'
import type { Dirent } from 'node:fs'
import { basename, join } from 'node:path'
import { toolError, type ToolError } from '../../../shared/tool-error.ts'
import { unsupportedVersion } from './dsh-header.ts'
import type { DshLogFile } from './read-dsh.ts'

export type FoundLog =
  | ({
      readonly kind: 'log'
      /** The session folder's name, which encodes the id (dsh-format §1). */
      readonly folder: string
      /** True where the folder above is named as DSH names its project folders. */
      readonly inProject: boolean
    } & DshLogFile)
  | { readonly kind: 'problem'; readonly name: string; readonly error: ToolError }

/** `session.jsonl`, its zstd form, and those of later format versions (dsh-format §1). */
const SESSION_FILE = /^session(?:\.v(\d+))?\.jsonl(\.zstd)?$/
const PROJECT_FOLDER = /^(?:--.*--|_no-cwd)$/
const FLAT_LOG = /\.jsonl(?:\.zstd)?$/
/** What a DSH home holds: so that the home itself may be named. */
const ROOTS_IN_HOME = ['sessions', 'sessions-plain']

/**
 * Finds DSH's logs below a folder, which may be a sessions root, a DSH home, one project's folder or one session's folder. Reads
 * directories only, no log. What cannot be read, or is of a version or layout that is not read here, is told.
 * @returns logs and problems, sorted by path.
 */
export async function* findDshLogs(folder: string, signal?: AbortSignal): AsyncGenerator<FoundLog> {
  const entries = await list(folder)
  if (!Array.isArray(entries)) {
    yield { kind: 'problem', name: folder, error: entries }
    return
  }
  const roots = entries.filter((entry) => entry.isDirectory() && ROOTS_IN_HOME.includes(entry.name))
  if (roots.length > 0 && !entries.some(isSessionFile)) {
    for (const root of roots) yield* walk(join(folder, root.name), 2, signal)
    return
  }
  yield* walk(folder, 2, signal, entries)
}

/** `depth`: how many levels of folders may still come before a session's own. */
async function* walk(
  folder: string,
  depth: number,
  signal: AbortSignal | undefined,
  listed?: readonly Dirent[],
): AsyncGenerator<FoundLog> {
  const entries = listed ?? (await list(folder))
  if (!isListing(entries)) {
    yield { kind: 'problem', name: folder, error: entries }
    return
  }
  if (entries.some(isSessionFile)) {
    yield* logsIn(folder, entries)
    return
  }
  if (PROJECT_FOLDER.test(basename(folder))) yield* flatLogs(folder, entries)
  if (depth === 0) return
  for (const entry of entries) {
    if (signal?.aborted) return
    if (entry.isDirectory()) yield* walk(join(folder, entry.name), depth - 1, signal)
  }
}

function* logsIn(folder: string, entries: readonly Dirent[]): Generator<FoundLog> {
  for (const entry of entries) {
    const match = entry.isFile() ? SESSION_FILE.exec(entry.name) : null
    if (!match) continue
    const path = join(folder, entry.name)
    const version = match[1] === undefined ? 0 : Number(match[1])
    if (version !== 0) {
      const refused = unsupportedVersion(version, path)
      if (!refused.ok) yield { kind: 'problem', name: basename(folder), error: refused.error }
      continue
    }
    yield {
      kind: 'log',
      path,
      encoding: match[2] === undefined ? 'plain' : 'zstd',
      folder: basename(folder),
      inProject: PROJECT_FOLDER.test(basename(join(folder, '..'))),
    }
  }
}

function* flatLogs(folder: string, entries: readonly Dirent[]): Generator<FoundLog> {
  for (const entry of entries) {
    if (!entry.isFile() || !FLAT_LOG.test(entry.name)) continue
    const path = join(folder, entry.name)
    const message =
      `${path} lies directly in a project's folder: the layout of an early DSH, which DSH itself no longer reads. ` +
      'Move it to a folder of its own, named after the session, as session.jsonl, and import again.'
    yield { kind: 'problem', name: entry.name, error: toolError('import_failed', message, { path }) }
  }
}

async function list(folder: string): Promise<Dirent[] | ToolError> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return toolError('io_failed', `${folder} could not be listed: ${reason}`, { path: folder })
  }
}

function isListing(entries: readonly Dirent[] | ToolError): entries is readonly Dirent[] {
  return Array.isArray(entries)
}

function isSessionFile(entry: Dirent): boolean {
  return entry.isFile() && SESSION_FILE.test(entry.name)
}
