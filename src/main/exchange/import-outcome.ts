import type { ToolError } from '../../shared/tool-error.ts'

/** What became of one session. */
export type Outcome =
  | { readonly kind: 'imported' | 'extended' | 'unchanged' | 'cancelled' }
  | { readonly kind: 'diverged'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string }

/** A failure as an outcome: being cancelled is not one. */
export function outcomeOf(error: ToolError): Outcome {
  return error.code === 'cancelled' ? { kind: 'cancelled' } : { kind: 'failed', message: error.message }
}
