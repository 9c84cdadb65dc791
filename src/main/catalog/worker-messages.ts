import type { SessionId } from '../../shared/session-id.ts'
import type { ToolError } from '../../shared/tool-error.ts'
import type { SessionFacts, SessionPlace } from '../session-tree/session-tree.ts'
import type { KeptFacts } from './catalog.ts'

/** What the worker is started with. */
export interface WorkerStart {
  readonly catalogPath: string
  readonly resources: string | undefined
}

/** What the main thread asks of the worker. */
export type ToWorker =
  /** Keep these; they were read from their logs. */
  | { readonly ask: 'keep'; readonly facts: readonly SessionFacts[] }
  /** Find title and first prompt where the ends of the log do not show them. */
  | { readonly ask: 'settle'; readonly place: SessionPlace }
  | { readonly ask: 'remove'; readonly ids: readonly SessionId[] }
  | { readonly ask: 'remove-logs'; readonly paths: readonly string[] }
  /** Finish what was asked, close the database, end. */
  | { readonly ask: 'end' }

/** What the worker answers. */
export type FromWorker =
  /** Some of what is kept, by log path. The last ones say so. */
  | { readonly say: 'kept'; readonly kept: readonly (readonly [string, KeptFacts])[]; readonly last: boolean }
  | { readonly say: 'settled'; readonly facts: SessionFacts }
  /** There is no catalog; titles are still looked for. */
  | { readonly say: 'unavailable'; readonly error: ToolError }
