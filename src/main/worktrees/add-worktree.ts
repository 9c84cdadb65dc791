import { lstat, mkdir, realpath } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError, type ToolError } from '../../shared/tool-error.ts'
import { readAddProgress } from './add-progress.ts'
import { readStatus, type StatusEntry } from './checkout-facts.ts'
import { emptySubmodulesNote } from './commit-facts.ts'
import { isExecutableFile } from './find-git.ts'
import { QUERY, type GitOutput, type RunGit } from './git.ts'
import { explainGitFailure, gitWords } from './git-failure.ts'
import { makeBranch, removeBranchLock } from './own-branch.ts'
import { removeMade } from './safe-removal.ts'
import { markFor } from './surviving-git.ts'
import { errorCode, errorText } from './system-error.ts'
import { stampOf, type HookFiles } from './worktree-content.ts'
import { removeNewFolders } from './worktree-entry.ts'
import { listWorktrees } from './worktree-list.ts'
import type { AddedWorktree, WorktreeAddOptions, WorktreePlan } from './worktree-provider.ts'

/** What a creation that failed has left behind: nothing, unless its own cleaning up failed as well. */
export interface AddFailure {
  readonly error: ToolError
  readonly clean: boolean
}

/**
 * Makes what was planned, in steps of which each is certainly ours: the folder (made only if it is not there), the
 * branch (likewise), then the checkout into both. On failure and on cancel all of it is removed again.
 */
export async function addWorktree(
  git: RunGit,
  plan: WorktreePlan,
  options: WorktreeAddOptions,
): Promise<Result<{ readonly added: AddedWorktree; readonly hookFiles: HookFiles }, AddFailure>> {
  if (options.signal?.aborted) {
    return fail({ error: toolError('cancelled', 'It was cancelled before anything was made.'), clean: true })
  }
  const folder = await makeFolder(plan)
  if (!folder.ok) return fail({ error: folder.error, clean: true })
  const branch = await makeBranch(git, plan, options.signal)
  const made = branch.ok ? await checkOut(git, plan, options) : branch
  if (made.ok) return made
  // A git that is ended between making its lock and noting it down leaves it. A taken branch is another's, and so is its lock.
  if (made.error.code !== 'branch_taken') await removeBranchLock(plan)
  const left = await removeMade(git, plan)
  if (left === undefined) return fail({ error: made.error, clean: true })
  return fail({ error: { ...made.error, message: `${made.error.message} ${left}` }, clean: false })
}

/** Makes the worktree's folder, which must not be there, and those above it. */
async function makeFolder(plan: WorktreePlan): Promise<Result<void>> {
  const { path } = plan.record
  for (let attempt = 1; ; attempt += 1) {
    try {
      await mkdir(dirname(path), { recursive: true })
      await mkdir(path)
      return ok(undefined)
    } catch (error) {
      // An undo beside us may have removed the empty parent in between.
      if (errorCode(error) === 'ENOENT' && attempt < 5) continue
      await removeNewFolders(path, plan.newFolder)
      return fail(folderError(path, error))
    }
  }
}

function folderError(path: string, error: unknown): ToolError {
  const about = { path }
  if (errorCode(error) === 'EEXIST') {
    return toolError(
      'path_taken',
      `${path} has appeared in the meantime and was left as it is. Try again for another name.`,
      about,
    )
  }
  if (errorCode(error) === 'ENAMETOOLONG') {
    return toolError(
      'path_too_long',
      `The path ${path} is too long for this system. Choose a shorter worktree path in settings.`,
      about,
    )
  }
  return toolError(
    'worktree_failed',
    `The folder ${path} could not be made: ${errorText(error)}. Choose another worktree path in settings, or mend the folder's rights.`,
    about,
  )
}

async function checkOut(
  git: RunGit,
  plan: WorktreePlan,
  options: WorktreeAddOptions,
): Promise<Result<{ readonly added: AddedWorktree; readonly hookFiles: HookFiles }>> {
  const { path, branch } = plan.record
  const hook = await hookPath(git, plan)
  const hasHook = await isExecutableFile(hook)
  const progress = readAddProgress(options.onProgress ?? (() => undefined), hasHook)
  const ended = await git([`--git-dir=${plan.gitDirectory}`, 'worktree', 'add', '--', path, branch], {
    cwd: plan.runsIn ?? plan.gitDirectory,
    timeoutMs: 'none',
    // Git holds progress back for two seconds otherwise.
    env: { GIT_PROGRESS_DELAY: '0', ...markFor(path) },
    onOutput: (text) => progress.read(text),
    // Any exit code: what counts is the state (field fault F16).
    expectedExit: Array.from({ length: 256 }, (_, code) => code),
    ...(options.signal ? { signal: options.signal } : {}),
  })
  if (!ended.ok) return ended
  const state = await readState(git, plan)
  if (!state.ok) return state
  const { exitCode } = ended.value
  if (!state.value.registered || (exitCode !== 0 && !state.value.complete)) return fail(addError(plan, ended.value))
  if (options.signal?.aborted) return fail(toolError('cancelled', 'It was cancelled; nothing is left of it.'))
  const hookFiles = new Map<string, string>()
  for (const { path: file } of state.value.status) hookFiles.set(file, await stampOf(join(path, file)))
  const warnings = [
    ...(exitCode === 0 ? [] : [hookWarning(hasHook, ended.value)]),
    ...(state.value.atBase ? [] : ['A hook has moved the new worktree away from the commit it was made at.']),
    ...(await emptySubmodules(path, plan)),
  ]
  return ok({ added: { record: { ...plan.record, path: await realpath(path) }, warnings }, hookFiles })
}

interface AddedState {
  readonly registered: boolean
  /** On the planned branch and at the planned commit. */
  readonly atBase: boolean
  /** `atBase`, and every file of the commit is there. */
  readonly complete: boolean
  readonly status: readonly StatusEntry[]
}

async function readState(git: RunGit, plan: WorktreePlan): Promise<Result<AddedState>> {
  const path = await realpath(plan.record.path).catch(() => plan.record.path)
  const worktrees = await listWorktrees(git, plan.gitDirectory)
  if (!worktrees.ok) return worktrees
  const listed = worktrees.value.find((worktree) => resolve(worktree.path) === path)
  const status = listed ? await readStatus(git, path) : ok([])
  const atBase = listed?.branch === plan.record.branch && listed.head === plan.record.base
  return ok({
    registered: listed !== undefined,
    atBase,
    complete: atBase && status.ok && !status.value.some((entry) => entry.state.includes('D')),
    status: status.ok ? status.value : [],
  })
}

/** Where git looks for the hook: a relative `core.hooksPath` counts from where git runs. */
async function hookPath(git: RunGit, plan: WorktreePlan): Promise<string> {
  const cwd = plan.runsIn ?? plan.gitDirectory
  const asked = await git([`--git-dir=${plan.gitDirectory}`, 'rev-parse', '--git-path', 'hooks/post-checkout'], {
    cwd,
    env: QUERY,
  })
  return resolve(cwd, asked.ok ? asked.value.stdout.replace(/\n$/, '') : '')
}

function hookWarning(hasHook: boolean, output: GitOutput): string {
  const who = hasHook ? 'The post-checkout hook' : 'Git'
  return `${who} ended with exit code ${output.exitCode}, although the worktree is complete. It said: ${gitWords(output)}`
}

function addError(plan: WorktreePlan, output: GitOutput): ToolError {
  const { path } = plan.record
  const known = explainGitFailure(output, path)
  if (known.code === 'path_too_long') return known
  return toolError('worktree_failed', `The worktree ${path} could not be made. Git says: ${gitWords(output)}`, { path })
}

/** The plan's word on submodules, unless a hook has filled them. */
async function emptySubmodules(path: string, plan: WorktreePlan): Promise<readonly string[]> {
  const empty: string[] = []
  for (const folder of plan.submodules ?? []) {
    const filled = await lstat(join(path, folder, '.git')).catch(() => undefined)
    if (!filled) empty.push(folder)
  }
  return empty.length > 0 ? [emptySubmodulesNote(empty)] : []
}
