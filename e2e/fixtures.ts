import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { turnEvents, type Turn, type UnplacedEvent } from './fixture-turns.ts'

/**
 * Sessions on disk for end-to-end tests, written without the app's own code: a test must not agree with a mistake in it. The
 * shapes are those of genuine logs (dsh-format §3 to §5, and §11 for the header).
 */

export interface SessionFixture {
  readonly id: string
  readonly kind: 'main' | 'fork' | 'subagent'
  readonly directory: string
  readonly logPath: string
  readonly cwd: string
  readonly root: string
  readonly depth: number
}

interface Content {
  /** Where the session works; should exist, else the window warns. Children: as their parent. */
  readonly cwd?: string
  /** A rename by the person, after the turns. */
  readonly title?: string
  readonly turns?: readonly Turn[]
  /** When it was created, in milliseconds; events follow a few milliseconds apart. Default: an hour ago. */
  readonly at?: number
  readonly id?: string
  /** A queued prompt that nobody has taken yet. */
  readonly waitingPrompt?: string
}

interface WorktreeFixture {
  readonly path: string
  readonly branch: string
  readonly base: string
  readonly repository: string
}

const hour = 60 * 60 * 1000

/** A main session in the home's tree. */
export function writeMain(home: string, content: Content & { readonly cwd: string }): Promise<SessionFixture> {
  const id = content.id ?? `session-${randomUUID()}`
  const directory = join(home, 'session-tree', id)
  return write({ id, kind: 'main', directory, cwd: content.cwd, root: id, depth: 0 }, {}, [], content)
}

/** A subagent of any session. */
export function writeSubagent(parent: SessionFixture, content: Content = {}): Promise<SessionFixture> {
  const id = content.id ?? randomUUID()
  return write(
    {
      id,
      kind: 'subagent',
      directory: join(parent.directory, 'subagents', id),
      cwd: content.cwd ?? parent.cwd,
      root: parent.root,
      depth: parent.depth + 1,
    },
    { parentSession: parent.id, origin: 'subagent', parent_session_id: parent.id },
    [],
    content,
  )
}

/**
 * A fork of a main, seeded with everything the main's log holds now; the main must have no open turn. With `worktree` it says
 * it works there, which the caller has made ({@link makeRepository} and git).
 */
export async function writeFork(
  parent: SessionFixture,
  content: Content & { readonly worktree?: WorktreeFixture } = {},
): Promise<SessionFixture> {
  const id = content.id ?? `session-${randomUUID()}`
  const [, ...seed] = (await readFile(parent.logPath, 'utf8')).split('\n').filter((line) => line !== '')
  const { worktree } = content
  return write(
    {
      id,
      kind: 'fork',
      directory: join(parent.directory, 'forks', id),
      cwd: worktree?.path ?? content.cwd ?? parent.cwd,
      root: parent.root,
      depth: 0,
    },
    {
      parentSession: parent.id,
      seedLength: seed.length,
      parent_session_id: parent.id,
      ...(worktree === undefined ? {} : { worktree }),
    },
    seed,
    content,
  )
}

/** Appends turns to a log, as another program would while the window is open. */
export async function appendTurns(session: SessionFixture, turns: readonly Turn[], at = Date.now()): Promise<void> {
  const lines = (await readFile(session.logPath, 'utf8')).split('\n').filter((line) => line !== '')
  const done = lines.filter((line) => line.startsWith('{"type":"turn/start"')).length
  const events = turns.flatMap((turn, index) => turnEvents(turn, done + index + 1))
  await appendFile(session.logPath, toLines(place(events, lines.length - 1, at)))
}

/** Appends bytes as they are: damage, a cut line. */
export async function appendRaw(session: SessionFixture, text: string): Promise<void> {
  await appendFile(session.logPath, text)
}

/**
 * A git repository with one commit, made by git itself and by nobody's configuration.
 * @returns the commit's id
 */
export async function makeRepository(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'README.md'), '# A repository for one test\n')
  await git(folder, 'init', '--quiet', '--initial-branch=main')
  await git(folder, 'add', 'README.md')
  await git(folder, '-c', 'user.name=Test', '-c', 'user.email=test@example.com', 'commit', '--quiet', '-m', 'Initial')
  return git(folder, 'rev-parse', 'HEAD')
}

/** Runs git in a folder and gives what it prints, trimmed. Rejects where git fails. */
export async function git(folder: string, ...args: readonly string[]): Promise<string> {
  const env = { ...process.env, LC_ALL: 'C', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  const { stdout } = await promisify(execFile)('git', ['-C', folder, ...args], { env })
  return stdout.trim()
}

async function write(
  session: Omit<SessionFixture, 'logPath'>,
  lineage: Readonly<Record<string, unknown>>,
  seed: readonly string[],
  content: Content,
): Promise<SessionFixture> {
  const at = content.at ?? Date.now() - hour
  const seedTurns = seed.filter((line) => line.startsWith('{"type":"turn/start"')).length
  const events: UnplacedEvent[] = [
    ...(session.kind === 'fork' ? [{ type: 'session/end-seed', data: {} }] : []),
    ...(content.turns ?? []).flatMap((turn, index) => turnEvents(turn, seedTurns + index + 1)),
    ...(content.title === undefined
      ? []
      : [{ type: 'session/title', data: { title: content.title, messageSeqs: [], source: { kind: 'user' } } }]),
    ...(content.waitingPrompt === undefined ? [] : [queued(content.waitingPrompt)]),
  ]
  const header = (seedBytes?: number) =>
    `${JSON.stringify({
      type: 'session',
      version: 0,
      id: session.id,
      createdAt: at,
      cwd: session.cwd,
      ...lineage,
      delegationDepth: session.depth,
      kind: session.kind,
      root_session_id: session.root,
      ...(seedBytes === undefined ? {} : { seedBytes }),
    })}\n`
  const copied = seed.map((line) => `${line}\n`).join('')
  const first = session.kind === 'fork' ? headerWithOffset(header, Buffer.byteLength(copied)) : header()
  const logPath = join(session.directory, 'session.jsonl')
  await mkdir(dirname(logPath), { recursive: true, mode: 0o700 })
  await writeFile(logPath, first + copied + toLines(place(events, seed.length, at)), { mode: 0o600 })
  return { ...session, logPath }
}

/** The header names the offset where the fork's own part begins, and its own length is part of that number. */
function headerWithOffset(header: (seedBytes: number) => string, copied: number): string {
  let offset = copied
  while (Buffer.byteLength(header(offset)) + copied !== offset) offset = Buffer.byteLength(header(offset)) + copied
  return header(offset)
}

function queued(prompt: string): UnplacedEvent {
  const message = {
    content: [{ type: 'text', text: prompt }],
    source: { kind: 'user' },
    role: 'user',
    id: randomUUID(),
  }
  return { type: 'agent/inbox/spliced', data: { target: 'next-turn', start: 0, inserted: [message] } }
}

/** Gives events their place: contiguous `seq`, and times a few milliseconds apart, as in a real log. */
export function place(events: readonly UnplacedEvent[], firstSeq: number, at: number): object[] {
  return events.map(({ type, data, cites, ...rest }, index) => ({
    type,
    seq: firstSeq + index,
    time: at + (index + 1) * 7,
    data,
    ...(cites === undefined ? {} : { sourceEventSeqs: [firstSeq + index - cites] }),
    ...rest,
  }))
}

/** Records as lines of a log. */
export function toLines(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('')
}
