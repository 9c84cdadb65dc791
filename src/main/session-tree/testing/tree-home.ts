import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventDraft, SessionEvent } from '../../../shared/session-event.ts'
import type { Result } from '../../../shared/result.ts'
import { parseSessionId, type SessionId } from '../../../shared/session-id.ts'
import { isEnvelope } from '../event.ts'
import { newSessionId } from '../session-id.ts'
import type { NewSession, SessionPlace, SessionTree } from '../session-tree.ts'
import { openSessionTree } from '../tree-provider.ts'

/** A session tree in a temporary folder. */
export interface TreeHome {
  readonly folder: string
  readonly root: string
  readonly tree: SessionTree
  remove(): void
}

export function makeTreeHome(): TreeHome {
  const folder = mkdtempSync(join(tmpdir(), 'treeline-tree-'))
  const root = join(folder, 'session-tree')
  return { folder, root, tree: openSessionTree(root), remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** The value of a result that a test expects to be one. */
export function valueOf<Value>(result: Result<Value>): Value {
  if (result.ok) return result.value
  throw new Error(`${result.error.code}: ${result.error.message}`)
}

/** The error of a result that a test expects to have failed. */
export function errorOf<Value>(result: Result<Value>) {
  if (!result.ok) return result.error
  throw new Error(`Unexpectedly succeeded: ${JSON.stringify(result.value)}`)
}

/** An id that a test spells out. */
export function sessionId(text: string): SessionId {
  return valueOf(parseSessionId(text))
}

/** The events of a log as they stand in the file, without its header. */
export function eventsIn(logPath: string): SessionEvent[] {
  const [, ...lines] = readFileSync(logPath, 'utf8').trimEnd().split('\n')
  return lines.map((line) => {
    const event: unknown = JSON.parse(line)
    if (!isEnvelope(event)) throw new Error(`No event: ${line}`)
    return event
  })
}

/** Everything an iteration yields. (`Array.fromAsync` is not in the library that the project compiles against.) */
export async function allOf<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const all: Value[] = []
  for await (const value of values) all.push(value)
  return all
}

let clock = 1_788_000_000_000

/** A request for a new session; `more` replaces and adds. */
export function newSession(more: Partial<NewSession> = {}): NewSession {
  return {
    id: newSessionId(),
    kind: 'main',
    cwd: '/home/dev/orchard',
    prompt: 'Count the apples.',
    createdAt: clock++,
    ...more,
  }
}

/** Creates a session that must succeed. */
export async function createIn(tree: SessionTree, more: Partial<NewSession> = {}): Promise<SessionPlace> {
  return valueOf(await tree.create(newSession(more)))
}

/** Forks a main at its boundary, which must succeed. */
export async function forkOf(
  tree: SessionTree,
  parent: SessionId,
  more: Partial<NewSession> = {},
): Promise<SessionPlace> {
  return createIn(tree, { kind: 'fork', parent, boundary: valueOf(await tree.boundary(parent)), ...more })
}

/** A turn of one step as an agent would append it: the waiting prompt claimed, asked and answered. */
export function turnDrafts(turn: number, prompt: string, time = 1_788_000_001_000): EventDraft[] {
  const user = { id: `user-${turn}`, role: 'user', source: { kind: 'user' }, content: [{ type: 'text', text: prompt }] }
  const answer = {
    id: `answer-${turn}`,
    role: 'assistant',
    source: { kind: 'model', provider: 'example', model: 'example-small' },
    content: [{ type: 'text', text: 'Done.' }],
  }
  return [
    { type: 'turn/start', time, data: { turn } },
    { type: 'agent/inbox/spliced', time, data: { target: 'next-turn', start: 0, removedCount: 1, inserted: [] } },
    { type: 'step/start', time, data: { turn, step: 1 } },
    { type: 'user/message', time, data: user, surfaceOp: 'append' },
    {
      type: 'assistant/message',
      time,
      data: { turn, step: 1, message: answer },
      sourceEventSeqs: [],
      surfaceOp: 'append',
    },
    { type: 'step/end', time, data: { turn, step: 1 } },
    { type: 'turn/end', time, data: { turn, reason: { kind: 'completed' } } },
  ]
}
