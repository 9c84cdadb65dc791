import { randomUUID } from 'node:crypto'
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { turnEvents, type Turn } from './fixture-turns.ts'
import { place, toLines } from './fixtures.ts'

/** Sessions as DSH itself stores them (dsh-format §1 and §3): what an import is given. */
export interface DshSession {
  readonly id: string
  readonly logPath: string
  readonly depth: number
}

interface Content {
  readonly cwd: string
  readonly turns: readonly Turn[]
  readonly id?: string
  readonly at?: number
  /** What it came from. A subagent starts anew; a fork begins with all that its parent's log holds now. */
  readonly parent?: {
    readonly session: Pick<DshSession, 'id' | 'depth'> & Partial<DshSession>
    readonly as: 'fork' | 'subagent'
  }
}

/**
 * Writes a session below one of DSH's roots.
 * @param root `<home>/sessions` or `<home>/sessions-plain`
 */
export async function writeDshSession(root: string, content: Content): Promise<DshSession> {
  const { cwd, turns, parent, at = Date.now() - 60_000 } = content
  const id = content.id ?? (parent?.as === 'subagent' ? randomUUID() : `session-${randomUUID()}`)
  const logPath = join(root, projectFolder(cwd), id, 'session.jsonl')
  const seed = parent?.as === 'fork' && parent.session.logPath ? await bodyOf(parent.session.logPath) : []
  const depth = parent?.as === 'subagent' ? parent.session.depth + 1 : 0
  const header = {
    type: 'session',
    version: 0,
    id,
    createdAt: at,
    cwd,
    ...(parent === undefined ? {} : { parentSession: parent.session.id }),
    ...(parent?.as === 'fork' ? { seedLength: seed.length } : {}),
    ...(parent?.as === 'subagent' ? { origin: 'subagent' } : {}),
    delegationDepth: depth,
  }
  const seedTurns = seed.filter((line) => line.startsWith('{"type":"turn/start"')).length
  const events = turns.flatMap((turn, index) => turnEvents(turn, seedTurns + index + 1))
  const own = [...(parent?.as === 'fork' ? [{ type: 'session/end-seed', data: {} }] : []), ...events]
  await mkdir(dirname(logPath), { recursive: true })
  await writeFile(
    logPath,
    toLines([header]) + seed.map((line) => `${line}\n`).join('') + toLines(place(own, seed.length, at)),
  )
  return { id, logPath, depth }
}

/** DSH goes on with a session after it was imported. */
export async function continueDshSession(session: DshSession, turns: readonly Turn[]): Promise<void> {
  const lines = await bodyOf(session.logPath)
  const done = lines.filter((line) => line.startsWith('{"type":"turn/start"')).length
  const events = turns.flatMap((turn, index) => turnEvents(turn, done + index + 1))
  await appendFile(session.logPath, toLines(place(events, lines.length, Date.now())))
}

/** DSH names a project's folder after its path: `/` becomes `-` between two dashes on each side (dsh-format §1). */
function projectFolder(cwd: string): string {
  return `--${cwd.replace(/^\//, '').replaceAll('/', '-')}--`
}

async function bodyOf(logPath: string): Promise<string[]> {
  const [, ...body] = (await readFile(logPath, 'utf8')).split('\n').filter((line) => line !== '')
  return body
}
