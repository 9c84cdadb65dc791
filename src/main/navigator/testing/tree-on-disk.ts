import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SessionId } from '../../../shared/session-id.ts'
import { newSessionId } from '../../session-tree/session-id.ts'
import type { NewSession, SessionPlace, SessionTree } from '../../session-tree/session-tree.ts'
import { openSessionTree } from '../../session-tree/tree-provider.ts'

/** A tree on a real disk, in a temporary home, and short ways to put sessions into it. */
export interface TreeOnDisk {
  readonly home: string
  readonly tree: SessionTree
  /** A folder outside the home that sessions can work in; made if it is not there. */
  folder(name: string): Promise<string>
  add(session: Pick<NewSession, 'kind' | 'cwd'> & Partial<NewSession>): Promise<SessionPlace>
  /** A fork at the parent's boundary, as the tools make it. */
  fork(parent: SessionId, more?: Partial<NewSession>): Promise<SessionPlace>
  /** Appends a whole turn of one step to a session. */
  turn(id: SessionId, turn: number): Promise<void>
  remove(): Promise<void>
}

/** A new, empty home. */
export async function treeOnDisk(): Promise<TreeOnDisk> {
  const base = await mkdtemp(join(tmpdir(), 'treeline-navigator-'))
  const home = join(base, 'home')
  const tree = openSessionTree(join(home, 'session-tree'))
  let createdAt = 1_700_000_000_000

  const add: TreeOnDisk['add'] = async (session) => {
    const made = await tree.create({ id: newSessionId(), prompt: 'Do it', createdAt: (createdAt += 1000), ...session })
    if (!made.ok) throw new Error(made.error.message)
    return made.value
  }
  return {
    home,
    tree,
    async folder(name) {
      const path = join(base, name)
      await mkdir(path, { recursive: true })
      return path
    },
    add,
    async fork(parent, more = {}) {
      const boundary = await tree.boundary(parent)
      const place = await tree.locate(parent)
      if (!boundary.ok || !place.ok) throw new Error('no boundary')
      const { header } = await tree.facts(place.value)
      return add({ kind: 'fork', parent, cwd: header?.cwd ?? base, boundary: boundary.value, ...more })
    },
    async turn(id, turn) {
      const time = (createdAt += 1000)
      const message = {
        id: `m${turn}`,
        role: 'assistant',
        source: { kind: 'model', provider: 'deepseek', model: 'deepseek-v4' },
        content: [{ type: 'text', text: 'Done.' }],
      }
      const done = await tree.appendNext(id, [
        { type: 'turn/start', time, data: { turn } },
        { type: 'step/start', time, data: { turn, step: 1 } },
        { type: 'assistant/message', time, data: { turn, step: 1, message }, surfaceOp: 'append' },
        { type: 'step/end', time, data: { turn, step: 1 } },
        { type: 'turn/end', time, data: { turn, reason: { kind: 'completed' } } },
      ])
      if (!done.ok) throw new Error(done.error.message)
    },
    remove: () => rm(base, { recursive: true, force: true }),
  }
}
