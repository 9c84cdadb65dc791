import type { ImportProgress, ImportReport } from '../../shared/bridge.ts'
import { fail, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import type { HomePaths } from '../session-tree/home-paths.ts'
import type { SessionTree } from '../session-tree/session-tree.ts'
import type { RunningCalls } from './running-calls.ts'

interface ImportOptions {
  /** Absolute; absent: the home's own DSH logs. */
  readonly folders?: readonly string[]
  readonly dryRun?: boolean
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: ImportProgress) => void
}

/** Brings DSH's own sessions into the tree. Fails with `already_running`, or as the import does. */
export type ImportDsh = (options?: ImportOptions) => Promise<Result<ImportReport>>

/** The import of one home, one at a time: a second one would race the first for the same sessions. */
export function createImport(paths: HomePaths, tree: SessionTree, calls: RunningCalls): ImportDsh {
  let running = false
  return async (options = {}) => {
    if (running) return fail(toolError('already_running', 'An import is running already. Wait until it is done.'))
    running = true
    try {
      // Loaded when it is wanted: most starts import nothing.
      const { importDsh } = await import('../exchange/dsh-import.ts')
      const { folders = paths.dshLogs } = options
      return await calls.run(options.signal, (signal) => importDsh({ ...options, tree, folders, signal }))
    } finally {
      running = false
    }
  }
}
