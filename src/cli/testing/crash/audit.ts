import { execFile } from 'node:child_process'
import { readdir, readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { HomePaths } from '../../../main/session-tree/home-paths.ts'
import { checkTree } from '../../../main/session-tree/tree-check.ts'
import { openSessionTree } from '../../../main/session-tree/tree-provider.ts'
import type { Acknowledged } from './drive.ts'

/** What an audit has counted; every fault is in `faults`, in a sentence. */
export interface Audit {
  readonly sessions: number
  readonly worktrees: number
  readonly events: number
  readonly faults: readonly string[]
}

/**
 * Holds a home, as a new owner has opened it, against what its killed owners had acknowledged: `check` finds no fault, every
 * session and message is there, once, and was run once at most; sessions, git and folders know of the same worktrees; nothing
 * is left under a temporary name or as an intent.
 * @param repository the one repository that forks were made in
 */
export async function audit(paths: HomePaths, repository: string, acknowledged: Acknowledged): Promise<Audit> {
  const faults: string[] = []
  for await (const { severity, path, message } of checkTree(paths.tree)) {
    if (severity === 'fault') faults.push(`check: ${path}: ${message}`)
  }
  const tree = openSessionTree(paths.tree)
  const logs = new Map<string, OwnTexts>()
  const inSessions: string[] = []
  for await (const place of tree.places()) {
    const { header } = await tree.facts(place)
    if (header?.worktree) inSessions.push(header.worktree.path)
    logs.set(place.id, textsOf(await readFile(place.logPath, 'utf8'), header?.seedLength ?? 0))
  }

  for (const [id, { prompt, worktree }] of acknowledged.sessions) {
    expectOnce(id, prompt)
    if (worktree !== undefined && !inSessions.includes(worktree))
      faults.push(`${id} has lost its worktree ${worktree}.`)
  }
  for (const { session, text } of acknowledged.messages) expectOnce(session, text)

  function expectOnce(session: string, text: string): void {
    const log = logs.get(session)
    if (!log) return void faults.push(`${session} was acknowledged and is not there.`)
    const accepted = log.accepted.filter((each) => each === text).length
    if (accepted !== 1) faults.push(`${session} holds the acknowledged ${text} ${accepted} times.`)
    const run = log.run.filter((each) => each === text).length
    if (run > 1) faults.push(`${session} has run ${text} ${run} times.`)
  }

  const expected = inSessions.toSorted()
  const known = {
    git: await listedWorktrees(repository),
    'the folder of worktrees': await foldersBelow(paths.worktrees),
    'the branches of git': await branchedWorktrees(paths, repository),
  }
  for (const [who, paths_] of Object.entries(known)) {
    const [more, less] = [without(paths_, expected), without(expected, paths_)]
    if (more.length > 0) faults.push(`Only ${who} knows of ${more.join(', ')}.`)
    if (less.length > 0) faults.push(`Sessions work in ${less.join(', ')}, of which ${who} knows nothing.`)
  }
  const intents = await readdir(paths.pending).catch(() => [])
  if (intents.length > 0) faults.push(`Intents are left: ${intents.join(', ')}.`)
  const names = await readdir(paths.tree, { recursive: true }).catch(() => [])
  const halves = names.filter((name) => /(^|\/)\./.test(name))
  if (halves.length > 0) faults.push(`Halves of sessions are left: ${halves.join(', ')}.`)
  const events = [...logs.values()].reduce((sum, log) => sum + log.events, 0)
  return { sessions: logs.size, worktrees: expected.length, events, faults }
}

interface OwnTexts {
  readonly events: number
  /** What was put into the inbox. */
  readonly accepted: readonly string[]
  /** What was shown to the agent. */
  readonly run: readonly string[]
}

/** The session's own part of a log: what stands in a fork's seed is the parent's. A line that is being written is left out. */
function textsOf(log: string, seedLength: number): OwnTexts {
  const lines = log.split('\n').slice(1, -1)
  const accepted: string[] = []
  const run: string[] = []
  for (const line of lines) {
    const event: { type?: string; seq?: number; data?: { inserted?: Message[] } & Message } = JSON.parse(line)
    if ((event.seq ?? 0) < seedLength) continue
    if (event.type === 'agent/inbox/spliced') accepted.push(...(event.data?.inserted ?? []).map(textOf))
    if (event.type === 'user/message' && event.data) run.push(textOf(event.data))
  }
  return { events: lines.length, accepted, run }
}

interface Message {
  readonly content?: readonly { readonly text?: string }[]
}

function textOf({ content = [] }: Message): string {
  return content.map(({ text = '' }) => text).join('')
}

async function git(repository: string, ...args: string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)('git', args, { cwd: repository, maxBuffer: 64 * 1024 * 1024 })
  return stdout.split('\n').filter((line) => line !== '')
}

async function listedWorktrees(repository: string): Promise<string[]> {
  const lines = await git(repository, 'worktree', 'list', '--porcelain')
  const own = await realpath(repository)
  const paths = lines.filter((line) => line.startsWith('worktree ')).map((line) => line.slice('worktree '.length))
  return paths.filter((path) => path !== own)
}

async function branchedWorktrees({ worktrees }: HomePaths, repository: string): Promise<string[]> {
  const prefix = 'treeline/'
  const names = await git(repository, 'for-each-ref', '--format=%(refname:short)', `refs/heads/${prefix}`)
  return names.map((name) => join(worktrees, 'project', name.slice(prefix.length)))
}

async function foldersBelow(worktrees: string): Promise<string[]> {
  const names = await readdir(join(worktrees, 'project')).catch(() => [])
  return names.map((name) => join(worktrees, 'project', name))
}

function without(paths: readonly string[], others: readonly string[]): string[] {
  return paths.filter((path) => !others.includes(path))
}
