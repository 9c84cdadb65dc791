import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, isAbsolute, join } from 'node:path'
import * as z from 'zod/mini'
import { parseSessionId } from '../../shared/session-id.ts'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError, type ToolError } from '../../shared/tool-error.ts'
import { isBranchName } from './branch-name.ts'
import { errorCode, errorText } from './system-error.ts'
import type { WorktreePlan, WorktreeProvider } from './worktree-provider.ts'

/**
 * Intents (design §2.6): before git is called, what is about to be made is written down durably, so that after a crash
 * the next owner of the home can undo it. One file a session, `<id>.json` in the pending folder.
 */
const absolutePath = z.string().check(z.refine((path) => isAbsolute(path) && !path.includes('\0')))

const intent = z.object({
  version: z.literal(1),
  id: z.string(),
  recordedAt: z.number(),
  repository: absolutePath,
  path: absolutePath,
  branch: z.string().check(z.refine(isBranchName)),
  base: z.string().check(z.regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/)),
  gitDirectory: absolutePath,
  newFolder: z.optional(absolutePath),
})

type Intent = z.infer<typeof intent>

/** What became of the intents found at a start. */
export interface IntentReport {
  /** Sessions that never came to be, whose worktree, entry and branch are gone. */
  readonly undone: readonly string[]
  /** Sessions that exist: their intent had only not been cleared. */
  readonly dropped: readonly string[]
  /** What stays, and why, in a sentence; `path` is the worktree, or the intent's file where that cannot be read. */
  readonly kept: readonly { readonly session_id: string; readonly path: string; readonly message: string }[]
}

/**
 * Writes the intent of a plan and does not return before file and folder are on disk.
 * Fails with `io_failed`; then git must not be called.
 */
export async function recordIntent(pendingFolder: string, plan: WorktreePlan): Promise<Result<void>> {
  const id = parseSessionId(plan.sessionId)
  if (!id.ok) return id
  const recorded: Intent = {
    version: 1,
    id: id.value,
    recordedAt: Date.now(),
    ...plan.record,
    gitDirectory: plan.gitDirectory,
    ...(plan.newFolder === undefined ? {} : { newFolder: plan.newFolder }),
  }
  const file = intentFile(pendingFolder, id.value)
  try {
    await mkdir(pendingFolder, { recursive: true, mode: 0o700 })
    await writeDurably(`${file}.tmp`, `${JSON.stringify(recorded, null, 2)}\n`)
    await rename(`${file}.tmp`, file)
    await syncFolder(pendingFolder)
    return ok(undefined)
  } catch (error) {
    return fail(ioError(file, error))
  }
}

/** Removes the intent of a session, durably: it exists, or nothing is left of it. Fails with `io_failed`. */
export async function clearIntent(pendingFolder: string, sessionId: string): Promise<Result<void>> {
  const id = parseSessionId(sessionId)
  if (!id.ok) return id
  const file = intentFile(pendingFolder, id.value)
  try {
    await rm(file, { force: true })
    await syncFolder(pendingFolder)
    return ok(undefined)
  } catch (error) {
    // Without the folder there is no intent in it.
    return errorCode(error) === 'ENOENT' ? ok(undefined) : fail(ioError(file, error))
  }
}

/**
 * For a home's new owner: undoes every intent whose session does not exist, drops the others. An intent that cannot be
 * read is reported and left, never guessed at; so is one whose worktree holds somebody's work, at every start until
 * that is taken out. Never fails as a whole: one bad intent does not keep the rest.
 * @param hasSession whether a session of that id is published in the tree; undefined where the tree cannot tell, and
 * then neither worktree nor intent is touched
 */
export async function undoIntents(
  pendingFolder: string,
  provider: Pick<WorktreeProvider, 'undo'>,
  hasSession: (id: string) => Promise<boolean | undefined>,
): Promise<IntentReport> {
  const undone: string[] = []
  const dropped: string[] = []
  const kept: { session_id: string; path: string; message: string }[] = []
  const names = await readdir(pendingFolder).catch(() => [])
  for (const name of names.toSorted((one, other) => one.localeCompare(other, 'en'))) {
    const file = join(pendingFolder, name)
    // Never finished, so git was not called for it.
    if (name.endsWith('.json.tmp')) await rm(file, { force: true })
    if (!name.endsWith('.json')) continue
    const session_id = basename(name, '.json')
    const plan = await readIntent(file, session_id)
    if (!plan.ok) {
      kept.push({ session_id, path: file, message: plan.error.message })
      continue
    }
    const published = await hasSession(session_id)
    if (published === undefined) {
      const message = `Whether the session ${session_id} exists cannot be told, so its worktree ${plan.value.record.path} was left as it is.`
      kept.push({ session_id, path: plan.value.record.path, message })
      continue
    }
    const settled = published ? ok(undefined) : await provider.undo(plan.value)
    const cleared = settled.ok ? await clearIntent(pendingFolder, session_id) : settled
    if (!cleared.ok) kept.push({ session_id, path: plan.value.record.path, message: cleared.error.message })
    else if (published) dropped.push(session_id)
    else undone.push(session_id)
  }
  return { undone, dropped, kept }
}

async function readIntent(file: string, sessionId: string): Promise<Result<WorktreePlan>> {
  const damaged = (why: string): Result<never> =>
    fail(
      toolError(
        'io_failed',
        `The record of an unfinished worktree ${file} cannot be read (${why}), so nothing was undone. Look for a leftover with: git worktree list, then delete the record.`,
        { path: file },
      ),
    )
  let parsed: unknown
  try {
    parsed = JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    return damaged(errorText(error))
  }
  const found = intent.safeParse(parsed)
  if (!found.success) return damaged(`field ${found.error.issues[0]?.path.join('.') ?? ''} is not as expected`)
  const { id, path, branch, base, repository, gitDirectory, newFolder } = found.data
  if (id !== sessionId || !parseSessionId(id).ok) return damaged('its name and the id in it disagree')
  return ok({
    sessionId: id,
    record: { path, branch, base, repository },
    gitDirectory,
    startsAt: { commit: base, label: branch },
    uncommitted: 0,
    notes: [],
    ...(newFolder === undefined ? {} : { newFolder }),
  })
}

function intentFile(pendingFolder: string, id: string): string {
  return join(pendingFolder, `${id}.json`)
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function syncFolder(path: string): Promise<void> {
  // Windows opens no folders, and its file system writes names through.
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

function ioError(file: string, error: unknown): ToolError {
  return toolError(
    'io_failed',
    `${file} could not be written: ${errorText(error)}. Check the rights and the space on disk.`,
    {
      path: file,
    },
  )
}
