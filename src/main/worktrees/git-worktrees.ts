import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import { addWorktree } from './add-worktree.ts'
import { createGit, type RunGit } from './git.ts'
import { removeBranchLock } from './own-branch.ts'
import { createCommitFacts, planWorktree } from './plan-worktree.ts'
import { removeSafely } from './safe-removal.ts'
import { endSurvivors } from './surviving-git.ts'
import type { HookFiles } from './worktree-content.ts'
import { parseWorktreePolicy, type WorktreeTemplates } from './worktree-policy.ts'
import type { WorktreePlan, WorktreeProvider } from './worktree-provider.ts'

export interface GitWorktreesOptions {
  /** The DSH home, absolute. */
  readonly home: string
  /** The settings' templates, asked for with each plan so that a change counts at once. Default: the default policy. */
  readonly templates?: () => WorktreeTemplates | Promise<WorktreeTemplates>
  readonly git?: RunGit
}

/** What this process knows of a plan it has carried out. */
type Carried = { readonly clean: true } | { readonly clean: false; readonly hookFiles: HookFiles }

/** The worktree provider over git (spec §3.3, issue 2 D). Nothing is started or kept open, so there is no stop. */
export function createGitWorktrees(options: GitWorktreesOptions): WorktreeProvider {
  const git = options.git ?? createGit()
  const factsOf = createCommitFacts(git)
  const carried = new WeakMap<WorktreePlan, Carried>()
  return {
    async plan(request) {
      const templates = (await options.templates?.()) ?? { worktreePath: null, worktreeBranch: null }
      const policy = parseWorktreePolicy(options.home, templates)
      return policy.ok ? planWorktree(git, factsOf, policy.value, request) : policy
    },
    async add(plan, addOptions = {}) {
      const made = await addWorktree(git, plan, addOptions)
      if (!made.ok) {
        carried.set(plan, made.error.clean ? { clean: true } : { clean: false, hookFiles: new Map() })
        return fail(made.error.error)
      }
      carried.set(plan, { clean: false, hookFiles: made.value.hookFiles })
      return ok(made.value.added)
    },
    async undo(plan): Promise<Result<void>> {
      const known = carried.get(plan)
      if (known?.clean) return ok(undefined)
      if (!known && !(await endLeftOvers(plan))) {
        return fail(
          toolError(
            'worktree_failed',
            `A process that an earlier run started still works on ${plan.record.path} and could not be ended. It is looked at again at the next start.`,
            { path: plan.record.path },
          ),
        )
      }
      const removed = await removeSafely(git, plan, known?.hookFiles)
      if (removed.ok) carried.set(plan, { clean: true })
      return removed
    },
  }
}

/** A plan of an earlier process: its git may still run, and may have left the lock of its branch. */
async function endLeftOvers(plan: WorktreePlan): Promise<boolean> {
  if (!(await endSurvivors(plan.record.path))) return false
  await removeBranchLock(plan)
  return true
}
