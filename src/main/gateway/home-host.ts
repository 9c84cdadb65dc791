import { rm } from 'node:fs/promises'
import type { ImportProgress, ImportReport } from '../../shared/bridge.ts'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import type { HomePaths } from '../session-tree/home-paths.ts'
import { acquireHome, type OwnedLock } from '../session-tree/owner-lock.ts'
import type { OwningApp } from '../session-tree/owner-lock-files.ts'
import type { SessionTree } from '../session-tree/session-tree.ts'
import { openSessionTree } from '../session-tree/tree-provider.ts'
import { replaceFile } from '../settings/replace-file.ts'
import { readSettings } from '../settings/settings-file.ts'
import { createTools, type Tools } from '../tools/tools.ts'
import type { WorktreeProvider } from '../worktrees/worktree-provider.ts'
import { createCallerTokens } from './caller-tokens.ts'
import { createRunningCalls, type RunningCalls } from './running-calls.ts'
import { socketAddress } from './socket-address.ts'
import { toolMethods } from './tool-methods.ts'
import { openToolSocket } from './tool-socket.ts'

export interface ImportOptions {
  /** Absolute; absent: the home's own DSH logs. */
  readonly folders?: readonly string[]
  readonly dryRun?: boolean
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: ImportProgress) => void
}

/** Fails with `already_running`, or as the import does. */
export type ImportDsh = (options?: ImportOptions) => Promise<Result<ImportReport>>

/** A home this process owns: everything in main that writes goes through it. */
export interface HomeHost {
  readonly tree: SessionTree
  readonly worktrees: WorktreeProvider
  readonly tools: Tools
  readonly importDsh: ImportDsh
  /** What was found and mended when the home was opened, each in a sentence. */
  readonly reports: readonly string[]
  /** Aborts and awaits what runs, stops listening, and gives the home back. Safe to call twice. */
  close(): Promise<void>
}
