import type { ToolError } from '../../shared/tool-error.ts'
import type { FoundSession } from './tree-scan.ts'

/** What the sweeping thread is started with. */
export interface SweepStart {
  readonly root: string
}

/** What the main thread asks of it. */
export type ToSweeper =
  /** Look at everything, having forgotten these paths. Comes only when there is no other sweep. */
  | { readonly ask: 'sweep'; readonly thorough: boolean; readonly forget: readonly string[] }
  /** Some findings have been taken in: there may be others. */
  | { readonly ask: 'more' }
  /** Look no further; what was found by now is told. */
  | { readonly ask: 'cancel' }

/** Some of what a sweep found, in the order in which a scan tells it. */
export interface Findings {
  readonly found: readonly FoundSession[]
  /** Directories of sessions, and folders of them, that are not what they were. */
  readonly differs: readonly string[]
  readonly problems: readonly ToolError[]
  /** True for the last of a sweep. */
  readonly last: boolean
}
