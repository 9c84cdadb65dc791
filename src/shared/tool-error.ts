/**
 * The closed list of what can go wrong in a way a person or an agent can act on. `docs/errors.md` says when each is
 * used; a test keeps the two alike. Codes are snake_case (design §4).
 */
export const ERROR_CODES = [
  // The request itself
  'invalid_request',
  'invalid_session_id',
  'cwd_not_absolute',
  'cwd_missing',
  'worktree_needs_fork',
  // Who asks
  'not_allowed',
  'root_creation_not_permitted',
  'fork_needs_main',
  'outside_tree',
  'not_direct_child',
  'session_required',
  'too_deep',
  'too_many_children',
  'too_many_calls',
  // The tree on disk
  'unknown_session',
  'log_missing',
  'session_exists',
  'layout_mismatch',
  'unsupported_version',
  'unknown_event',
  'log_damaged',
  'not_utf8',
  'log_cut',
  'log_changed',
  'events_not_contiguous',
  'ambiguous_boundary',
  'io_failed',
  // The home
  'home_owned',
  'owner_unreachable',
  'not_authorized',
  // Worktrees
  'git_not_found',
  'git_refused',
  'git_timed_out',
  'not_a_repository',
  'no_commits',
  'branch_taken',
  'path_taken',
  'path_too_long',
  'worktree_failed',
  // Agents
  'unknown_preset',
  'preset_invalid',
  'agent_failed',
  'budget_exceeded',
  // Around it
  'cancelled',
  'already_running',
  'editor_failed',
  'import_failed',
  'settings_invalid',
  'internal',
] as const

export type ErrorCode = (typeof ERROR_CODES)[number]

/** An expected failure, in words a person understands: what happened, to what, and what to do. */
export interface ToolError {
  readonly code: ErrorCode
  /** Whole sentences, ready to be shown. */
  readonly message: string
  /** The request's or header's field the failure is about, where there is one. */
  readonly field?: string
  /** The file or folder the failure is about, where there is one. */
  readonly path?: string
}

/** Builds a ToolError; `about` names the field or path where there is one. */
export function toolError(
  code: ErrorCode,
  message: string,
  about: { readonly field?: string; readonly path?: string } = {},
): ToolError {
  return { code, message, ...about }
}
