import { lstat } from 'node:fs/promises'
import { dirname, relative, isAbsolute } from 'node:path'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError, type ToolError } from '../../shared/tool-error.ts'
import { branchInTheWay } from './branch-name.ts'
import { readCheckout, type CheckoutFacts } from './checkout-facts.ts'
import { emptySubmodulesNote, readCommitFacts, type CommitFacts } from './commit-facts.ts'
import { QUERY, type RunGit } from './git.ts'
import { pathLengthProblem } from './path-length.ts'
import { findRepository, realPathOfRest, repositoryName, repositoryOf } from './repository.ts'
import { listWorktrees, type ListedWorktree } from './worktree-list.ts'
import { candidateNames, fillPolicy, namePartsOf, type WorktreeNames, type WorktreePolicy } from './worktree-policy.ts'
import type { WorktreePlan, WorktreeRequest } from './worktree-provider.ts'

/** Answers the facts of a commit from memory: a dialog plans again with every letter typed. */
export type CommitFactsOf = (commonDirectory: string, commit: string) => Promise<Result<CommitFacts>>

/** Keeps the facts of the commits asked for last. */
export function createCommitFacts(git: RunGit): CommitFactsOf {
  const kept = new Map<string, CommitFacts>()
  return async (commonDirectory, commit) => {
    const key = `${commonDirectory}\0${commit}`
    const known = kept.get(key)
    if (known) return ok(known)
    const facts = await readCommitFacts(git, commonDirectory, commit)
    if (facts.ok) {
      const oldest = kept.keys().next().value
      if (kept.size >= 20 && oldest !== undefined) kept.delete(oldest)
      kept.set(key, facts.value)
    }
    return facts
  }
}

/**
 * Decides what would be made for a request, without writing anything: the repository and commit of the request's cwd,
 * a free path and branch by the policy. Fails as `WorktreeProvider.plan` says.
 */
export async function planWorktree(
  git: RunGit,
  factsOf: CommitFactsOf,
  policy: WorktreePolicy,
  request: WorktreeRequest,
): Promise<Result<WorktreePlan>> {
  const checkout = await readCheckout(git, request.cwd)
  if (!checkout.ok) return checkout
  const { commonDirectory, commit } = checkout.value
  const [worktrees, branches, facts, repository, place] = await Promise.all([
    listWorktrees(git, commonDirectory),
    listBranches(git, commonDirectory),
    factsOf(commonDirectory, commit),
    repositoryOf(commonDirectory),
    findRepository(request.cwd),
  ])
  if (!worktrees.ok) return worktrees
  if (!branches.ok) return branches
  // Without these facts git itself says during `add` what does not fit.
  const known: CommitFacts = facts.ok ? facts.value : { longestPath: 0, submodules: [] }
  const wanted = fillPolicy(policy, namePartsOf(repositoryName(repository), request.name, request.sessionId))
  const asked: WorktreeNames = { path: await realPathOfRest(wanted.path), branch: wanted.branch }
  const problem =
    nestingProblem(asked.path, commonDirectory, worktrees.value) ?? pathLengthProblem(asked.path, known.longestPath)
  if (problem) return fail(problem)
  const chosen = await chooseNames(asked, branches.value, worktrees.value)
  if (!chosen.ok) return chosen
  const newFolder = await firstMissing(dirname(chosen.value.path))
  return ok({
    sessionId: request.sessionId,
    record: { path: chosen.value.path, branch: chosen.value.branch, base: commit, repository },
    gitDirectory: commonDirectory,
    runsIn: place?.worktree ?? request.cwd,
    startsAt: { commit, label: checkout.value.label },
    uncommitted: checkout.value.uncommitted.ok ? checkout.value.uncommitted.value : 0,
    notes: notesOf(checkout.value, known, asked, chosen.value),
    ...(newFolder === undefined ? {} : { newFolder }),
    ...(known.submodules.length === 0 ? {} : { submodules: known.submodules }),
  })
}

async function listBranches(git: RunGit, commonDirectory: string): Promise<Result<readonly string[]>> {
  const list = ['for-each-ref', '--format=%(refname)', 'refs/heads/']
  const listed = await git([`--git-dir=${commonDirectory}`, ...list], { cwd: commonDirectory, env: QUERY })
  if (!listed.ok) return listed
  // A ref's name can hold no line break.
  const names = listed.value.stdout.split('\n').filter((line) => line !== '')
  return ok(names.map((name) => name.slice('refs/heads/'.length)))
}

async function chooseNames(
  asked: WorktreeNames,
  branches: readonly string[],
  worktrees: readonly ListedWorktree[],
): Promise<Result<WorktreeNames>> {
  const registered = new Set(worktrees.map((worktree) => worktree.path))
  let inTheWay: ToolError | undefined
  for (const names of candidateNames(asked)) {
    const clash = branchInTheWay(names.branch, branches)
    if (clash !== undefined) {
      inTheWay ??= toolError(
        'branch_taken',
        `The branch ${names.branch} cannot be made beside the branch ${clash}, and no similar name is free. Rename that branch, or change the branch template in settings.`,
        { path: names.path },
      )
    } else if (registered.has(names.path) || (await isThere(names.path))) {
      inTheWay ??= toolError(
        'path_taken',
        `${names.path} is there already, and no similar name is free. Move it away, or change the worktree path in settings.`,
        { path: names.path },
      )
    } else {
      return ok(names)
    }
  }
  return fail(inTheWay ?? toolError('path_taken', `No name is free for ${asked.path}.`, { path: asked.path }))
}

/** No worktree inside a worktree (field fault F17): it would stand there as a stray folder, and git would mix the two. */
function nestingProblem(
  path: string,
  commonDirectory: string,
  worktrees: readonly ListedWorktree[],
): ToolError | undefined {
  const folders = [commonDirectory, ...worktrees.filter((worktree) => !worktree.bare).map((worktree) => worktree.path)]
  const around = folders.find((folder) => isInside(path, folder))
  if (around === undefined) return undefined
  return toolError(
    'settings_invalid',
    `The new worktree ${path} would lie inside ${around}, which belongs to the same repository. Choose another worktree path in settings.`,
    { field: 'worktreePath', path },
  )
}

/** Below a folder, not the folder itself: that one is merely taken. */
function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !/^\.\.[\\/]/.test(way) && !isAbsolute(way)
}

function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT' && error.code !== 'ENOTDIR',
  )
}

/** The topmost folder on the way to `path`, itself included, that is not there yet; undefined if all are. */
async function firstMissing(path: string): Promise<string | undefined> {
  let missing: string | undefined
  for (let folder = path; !(await isThere(folder)); folder = dirname(folder)) missing = folder
  return missing
}

function notesOf(
  checkout: CheckoutFacts,
  facts: CommitFacts,
  asked: WorktreeNames,
  chosen: WorktreeNames,
): readonly string[] {
  const notes: string[] = []
  if (!checkout.uncommitted.ok) {
    notes.push(
      `Uncommitted changes stay where they are and do not come along. They could not be counted: ${checkout.uncommitted.error.message}`,
    )
  }
  if (checkout.underWay !== undefined) {
    notes.push(
      `A ${checkout.underWay} is under way in the folder; the worktree starts at the commit checked out there now.`,
    )
  }
  if (facts.submodules.length > 0) notes.push(emptySubmodulesNote(facts.submodules))
  // Numbered names speak for themselves; another shape does not.
  if (!chosen.branch.startsWith(asked.branch)) {
    notes.push(`A branch of this repository keeps ${asked.branch} from being made, so the new one is ${chosen.branch}.`)
  }
  return notes
}
