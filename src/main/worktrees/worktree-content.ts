import { lstat, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ok, type Result } from '../../shared/result.ts'
import { readStatus } from './checkout-facts.ts'
import { QUERY, type RunGit } from './git.ts'
import type { WorktreeEntry } from './worktree-entry.ts'
import type { WorktreePlan } from './worktree-provider.ts'

/** Files that hooks had left when the worktree was made, by path: they are no one's work while they stay as they were. */
export type HookFiles = ReadonlyMap<string, string>

/** What of a file tells that it is still the same. */
export async function stampOf(path: string): Promise<string> {
  const seen = await lstat(path, { bigint: true }).catch(() => undefined)
  return seen ? `${seen.ino}:${seen.size}:${seen.mtimeNs}` : 'absent'
}

/** A whole tree may have to be compared byte by byte after a crash. */
const COMPARE_LIMIT_MS = 120_000

/**
 * Says what would be lost if the worktree's folder were removed; undefined if nothing: every file in it is in the base
 * commit, or was left by a hook and not touched since. Files that are missing are no loss, and files git ignores do
 * not count, as with `git worktree remove`. Fails as {@link RunGit} does.
 */
export async function contentAtStake(
  git: RunGit,
  plan: WorktreePlan,
  entry: WorktreeEntry,
  hookFiles: HookFiles = new Map(),
): Promise<Result<string | undefined>> {
  const hasIndex = await lstat(join(entry.folder, 'index')).then(
    () => true,
    () => false,
  )
  // Git writes the index when all files are there; without it git was stopped on the way.
  if (!hasIndex) return checkoutAtStake(git, plan)
  const { path, base, branch } = plan.record
  // Both named, since the folder's own link may be gone while the work in it is not.
  const gitOptions = [`--git-dir=${entry.folder}`, `--work-tree=${path}`]
  const head = await git([...gitOptions, 'rev-parse', 'HEAD^{commit}', '--symbolic-full-name', 'HEAD'], {
    cwd: path,
    env: QUERY,
    expectedExit: [0, 128],
  })
  if (!head.ok) return head
  const [commit = '', ref = ''] = head.value.stdout.split('\n')
  // A worktree that somebody has put in the place of ours, or taken off its branch, is theirs.
  if (head.value.exitCode !== 0) return ok('it is on a branch without a commit')
  if (ref !== `refs/heads/${branch}`) return ok(`it is not on that branch any more, but on ${ref}`)
  if (commit !== base) return ok(`it is at commit ${commit.slice(0, 10)} and was made at ${base.slice(0, 10)}`)
  return workAtStake(git, path, gitOptions, hookFiles)
}

async function workAtStake(
  git: RunGit,
  path: string,
  gitOptions: readonly string[],
  hookFiles: HookFiles,
): Promise<Result<string | undefined>> {
  const status = await readStatus(git, path, gitOptions)
  if (!status.ok) return status
  const changed: string[] = []
  for (const { state, path: file } of status.value) {
    if (/^(?: D|D |DD)$/.test(state)) continue
    const left = hookFiles.get(file)
    if (left !== (await stampOf(join(path, file)))) changed.push(file)
  }
  return ok(changed.length > 0 ? `it has changes: ${named(changed)}` : undefined)
}

/** The folder of a checkout that was cut off: compared with the commit itself, through an index made for it. */
async function checkoutAtStake(git: RunGit, plan: WorktreePlan): Promise<Result<string | undefined>> {
  const { path, base } = plan.record
  const scratch = await mkdtemp(join(tmpdir(), 'treeline-index-'))
  try {
    const gitOptions = [`--git-dir=${plan.gitDirectory}`, `--work-tree=${path}`, '-c', 'core.fsmonitor=false']
    const options = {
      cwd: path,
      env: { ...QUERY, GIT_INDEX_FILE: join(scratch, 'index') },
      timeoutMs: COMPARE_LIMIT_MS,
    }
    const index = await git([...gitOptions, 'read-tree', base], options)
    if (!index.ok) return index
    const listing = ['ls-files', '-z', '-t', '--modified', '--deleted', '--others', '--exclude-standard']
    const listed = await git([...gitOptions, ...listing], options)
    if (!listed.ok) return listed
    const entries = listed.value.stdout.split('\0').filter((line) => line !== '')
    // A missing file is listed twice, as removed (R) and as changed (C).
    const missing = new Set(entries.filter((line) => line.startsWith('R ')).map((line) => line.slice(2)))
    const found = [...new Set(entries.map((line) => line.slice(2)).filter((file) => !missing.has(file)))]
    const changed: string[] = []
    for (const file of found) {
      const blob = await readBlob(git, gitOptions, options, `${base}:${file}`)
      if (!blob.ok) return blob
      if (!(await isBeginningOf(join(path, file), blob.value))) changed.push(file)
    }
    return ok(changed.length > 0 ? `it has changes: ${named(changed)}` : undefined)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** A file's bytes as a checkout would write them; undefined if the commit has no such file. */
async function readBlob(
  git: RunGit,
  gitOptions: readonly string[],
  options: Parameters<RunGit>[1],
  name: string,
): Promise<Result<Buffer | undefined>> {
  const chunks: Buffer[] = []
  const read = await git([...gitOptions, 'cat-file', '--filters', name], {
    ...options,
    expectedExit: [0, 128],
    onStdout: (chunk) => chunks.push(chunk),
  })
  if (!read.ok) return read
  return ok(read.value.exitCode === 0 ? Buffer.concat(chunks) : undefined)
}

/** True for a file that git was stopped at while it wrote it: nothing in it but the beginning of what git was writing. */
async function isBeginningOf(path: string, whole: Buffer | undefined): Promise<boolean> {
  if (whole === undefined || !(await lstat(path)).isFile()) return false
  const written = await readFile(path)
  return written.equals(whole.subarray(0, written.length))
}

function named(files: readonly string[]): string {
  const shown = files.slice(0, 3).join(', ')
  return files.length > 3 ? `${shown} and ${files.length - 3} more` : shown
}
