import type { Result } from '../../shared/result.ts'
import type { WorktreeRecord } from '../../shared/session-event.ts'

/**
 * What the rest of main may ask of worktrees (spec §3.3). Where a worktree lies and how its branch is named is the
 * provider's own policy; nobody else assumes anything about it.
 */
export interface WorktreeProvider {
  /**
   * Looks, writes nothing: which repository `cwd` belongs to, what would be made, and what the person should know.
   * Fails with `git_not_found`, `git_refused`, `git_timed_out`, `not_a_repository`, `no_commits`, `path_too_long`, `branch_taken` …
   */
  plan(request: WorktreeRequest): Promise<Result<WorktreePlan>>
  /**
   * Makes what was planned: directory, git's entry, branch. On failure or cancel none of the three is left.
   * The caller has fsynced the intent before this is called.
   */
  add(plan: WorktreePlan, options?: WorktreeAddOptions): Promise<Result<AddedWorktree>>
  /**
   * Removes directory, git's entry and branch of what was made for this plan, by this process or one that crashed; and
   * only if clean and still at its base. To be called after any failure behind `plan`, a failed `add` included: it is
   * ok where nothing is there, and the intent is cleared only after it is. Fails with `worktree_failed`, telling what
   * was kept and why.
   */
  undo(plan: WorktreePlan): Promise<Result<void>>
}

export interface WorktreeRequest {
  /** The session's own cwd: its repository is the one used, and the commit checked out there is the start. */
  readonly cwd: string
  /** What the slug is made from: the title, else the prompt. */
  readonly name: string
  /** The session id the short id is made from. */
  readonly sessionId: string
}

export interface WorktreePlan {
  readonly sessionId: string
  /** As recorded in the header: path, branch, base (full commit id), repository. */
  readonly record: WorktreeRecord
  /** The repository's common git directory: it outlives every worktree, so an undo can always start from it. */
  readonly gitDirectory: string
  /**
   * The folder git runs in to make it, as if the person ran it: the root of the checkout it starts from. A relative
   * `core.hooksPath` counts from there. Absent: the git directory.
   */
  readonly runsIn?: string
  /** Branch or "detached" of the cwd, for the dialog. */
  readonly startsAt: { readonly commit: string; readonly label: string }
  /** Files with uncommitted changes in the cwd that will not come along. */
  readonly uncommitted: number
  /** Sentences: submodules, a long path … */
  readonly notes: readonly string[]
  /** The topmost folder above the worktree that is not there yet: an undo removes it again if it is empty. */
  readonly newFolder?: string
  /** Folders of submodules, which git leaves empty in a new worktree. */
  readonly submodules?: readonly string[]
}

export interface WorktreeAddOptions {
  readonly signal?: AbortSignal
  /** Sentences such as "Checking out files: 42%" or "Waiting for the post-checkout hook". */
  readonly onProgress?: (sentence: string) => void
}

export interface AddedWorktree {
  readonly record: WorktreeRecord
  /** A hook failed although the worktree is there (field fault F16), submodule folders are empty, … */
  readonly warnings: readonly string[]
}
