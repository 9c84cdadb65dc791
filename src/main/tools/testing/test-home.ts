import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Result } from '../../../shared/result.ts'
import type { EventDraft } from '../../../shared/session-event.ts'
import { parseSessionId, type SessionId } from '../../../shared/session-id.ts'
import type { SessionCreateResult } from '../../../shared/tools.ts'
import { homePaths, type HomePaths } from '../../session-tree/home-paths.ts'
import type { SessionTree } from '../../session-tree/session-tree.ts'
import { openSessionTree } from '../../session-tree/tree-provider.ts'
import type { WorktreeProvider } from '../../worktrees/worktree-provider.ts'
import type { Caller, HostCaller } from '../caller.ts'
import { createTools, type Tools } from '../tools.ts'

/** A DSH home of its own in a temporary folder, with the tools over it. */
export interface TestHome {
  readonly paths: HomePaths
  readonly tree: SessionTree
  readonly tools: Tools
  /** A plain folder for sessions to work in. */
  readonly cwd: string
  remove(): Promise<void>
}

/** A provider for tests in which no worktree may be made: being asked at all is the failure. */
export const noWorktrees: WorktreeProvider = {
  plan: () => Promise.reject(new Error('A worktree was planned.')),
  add: () => Promise.reject(new Error('A worktree was added.')),
  undo: () => Promise.reject(new Error('A worktree was undone.')),
}

export async function makeTestHome(worktrees: WorktreeProvider = noWorktrees): Promise<TestHome> {
  // macOS: the temporary folder is behind a link, and git answers real paths.
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'treeline-tools-')))
  const paths = homePaths(join(folder, 'home'))
  const cwd = join(folder, 'project')
  await mkdir(cwd)
  const tree = openSessionTree(paths.tree)
  const tools = createTools({ tree, worktrees, pendingFolder: paths.pending, rootCreationPermitted: true })
  return { paths, tree, tools, cwd, remove: () => rm(folder, { recursive: true, force: true }) }
}

export const HOST: HostCaller = { kind: 'host' }

export function session(id: string): Caller {
  return { kind: 'session', id: idOf(id) }
}

export function idOf(text: string): SessionId {
  return valueOf(parseSessionId(text))
}

/** The value of a result that must be good. */
export function valueOf<Value>(result: Result<Value>): Value {
  if (result.ok) return result.value
  throw new Error(`${result.error.code}: ${result.error.message}`)
}

/** A main made by the host, with one finished turn, so that it has a boundary. */
export async function makeMain({ tools, tree, cwd }: TestHome, prompt = 'Plant the orchard'): Promise<SessionId> {
  const main = valueOf(await tools.session_create({ prompt, cwd }, HOST))
  await work(tree, main.session_id, 1)
  return idOf(main.session_id)
}

/** A child made by the session `parent`. */
export async function makeChild(
  { tools }: TestHome,
  parent: SessionId,
  request: object = {},
): Promise<SessionCreateResult> {
  return valueOf(await tools.session_create({ prompt: 'Water the trees', ...request }, session(parent)))
}

/** Appends one finished turn of one step, as an agent's work leaves it. */
export async function work(tree: SessionTree, id: string, turn: number): Promise<void> {
  const end: EventDraft[] = [
    { type: 'step/end', time: Date.now(), data: { turn, step: 1 } },
    { type: 'turn/end', time: Date.now(), data: { turn, reason: { kind: 'completed' } } },
  ]
  valueOf(await tree.appendNext(idOf(id), [...openStep(turn), ...end]))
}

/** The beginning of a turn whose step has not ended: nothing of it may be copied into a fork. */
export function openStep(turn: number): EventDraft[] {
  return [
    { type: 'turn/start', time: Date.now(), data: { turn } },
    { type: 'step/start', time: Date.now(), data: { turn, step: 1 } },
  ]
}

/** The lines of a log, or of anything else in JSON lines. */
export function linesOf(text: string): Record<string, unknown>[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const value: Record<string, unknown> = JSON.parse(line)
      return value
    })
}

/** Everything below a folder: kind, mode, time of change and bytes, by path. */
export async function snapshotOf(folder: string): Promise<Record<string, string>> {
  const seen: Record<string, string> = {}
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  for (const name of ['', ...names].toSorted()) {
    const path = join(folder, name)
    const found = await stat(path, { bigint: true }).catch(() => undefined)
    if (!found) continue
    const bytes = found.isFile()
      ? createHash('sha256')
          .update(await readFile(path))
          .digest('hex')
      : 'folder'
    seen[name] = `${found.mode} ${found.mtimeNs} ${bytes}`
  }
  return seen
}
