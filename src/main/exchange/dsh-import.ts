import { stat } from 'node:fs/promises'
import type { ImportReport } from '../../shared/bridge.ts'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import type { SessionTree } from '../session-tree/session-tree.ts'
import { dshSource } from './dsh/dsh-source.ts'
import { findDshLogs } from './dsh/find-logs.ts'
import { importSessions, type ImportOptions } from './import-sessions.ts'
import { safeSessionId } from './safe-id.ts'

/**
 * Imports DSH's own sessions from sessions roots, a DSH home, a project's folder or a session's folder.
 * @returns what was done; `import_failed` if none of the folders is there. Everything else that goes wrong is in the report.
 */
export async function importDsh(options: ImportOptions): Promise<Result<ImportReport>> {
  const folders = await foldersThere(options.folders)
  if (folders.length === 0) {
    const named = options.folders.join(' or ')
    const message = `There is no folder ${named} to import DSH sessions from. Name the folder that holds them.`
    return fail(toolError('import_failed', message))
  }
  return ok(await importSessions(dshSource, { ...options, folders }))
}

/**
 * How many of DSH's sessions are not in the tree yet, by the names of their folders: no log is opened, so that the window can offer
 * an import at once.
 * @returns the count, and those of the folders that hold any.
 */
export async function countDsh(options: {
  readonly tree: SessionTree
  readonly folders: readonly string[]
}): Promise<{ readonly found: number; readonly folders: readonly string[] }> {
  const ids = new Set<string>()
  const holding: string[] = []
  for (const folder of await foldersThere(options.folders)) {
    const before = ids.size
    for await (const log of findDshLogs(folder)) {
      if (log.kind === 'log' && log.inProject) ids.add(safeSessionId(decodeSegment(log.folder)).id)
    }
    if (ids.size > before) holding.push(folder)
  }
  if (ids.size > 0) for await (const place of options.tree.places()) ids.delete(place.id)
  return ids.size === 0 ? { found: 0, folders: [] } : { found: ids.size, folders: holding }
}

/** Undoes DSH's encoding of an id as a folder's name: `~XXXX` is a UTF-16 unit (dsh-format §1). */
function decodeSegment(name: string): string {
  return name.replaceAll(/~([0-9A-F]{4})/g, (_, unit: string) => String.fromCharCode(Number.parseInt(unit, 16)))
}

async function foldersThere(folders: readonly string[]): Promise<readonly string[]> {
  const there = await Promise.all(
    folders.map((folder) =>
      stat(folder).then(
        (found) => found.isDirectory(),
        () => false,
      ),
    ),
  )
  return folders.filter((_, index) => there[index])
}
