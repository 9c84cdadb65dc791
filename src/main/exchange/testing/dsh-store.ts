import { Context } from '@deepseek-ai/cordis'
import { SessionId, SessionStore, type SessionEvent as DshEvent } from '@deepseek-ai/dsh-session'
import type { SessionHeader } from '@deepseek-ai/dsh-session-persistence'
import { JsonlSessionPersistence } from '@deepseek-ai/dsh-session-persistence-jsonl'
import type { SessionEvent } from '../../../shared/session-event.ts'

/** DSH's own JSONL backend, run by tests: it writes what we import, and says what we should have read. */
export interface DshStore {
  /** Writes one log, a frame or a write for each batch. */
  write(header: DshHeaderFields, batches: readonly (readonly SessionEvent[])[]): Promise<void>
  append(id: string, events: readonly SessionEvent[]): Promise<void>
  /** The stored events of one log, no closers added, nothing repaired. Throws where DSH refuses the log. */
  stored(id: string): Promise<readonly SessionEvent[]>
  /** The whole log as DSH takes it up: closers in memory, the file left alone. Throws where DSH refuses it. */
  inspect(id: string): Promise<readonly SessionEvent[]>
  list(): Promise<readonly SessionHeader[]>
}

export interface DshHeaderFields {
  readonly id: string
  readonly createdAt: number
  readonly cwd?: string
  readonly parentSession?: string
  readonly seedLength?: number
  readonly origin?: 'subagent'
  readonly delegationDepth?: number
  readonly agentPreset?: string
}

/** Opens DSH's backend on a folder. It keeps no file open. */
export async function openDshStore(
  root: string,
  encoding: { readonly compression: 'none' | 'zstd'; readonly packChunks: boolean },
): Promise<DshStore> {
  const context = new Context()
  await context.plugin(SessionStore)
  await context.plugin(JsonlSessionPersistence, { root, ...encoding })
  const backend = context.get('sessionPersistence')
  if (!backend) throw new Error('The DSH backend did not start')
  return {
    async write(header, batches) {
      const { id, parentSession, ...rest } = header
      await backend.create({
        version: 0,
        delegationDepth: 0,
        ...rest,
        id: SessionId(id),
        ...(parentSession === undefined ? {} : { parentSession: SessionId(parentSession) }),
      })
      for (const batch of batches) await backend.append(SessionId(id), asDshEvents(batch))
    },
    append: (id, events) => backend.append(SessionId(id), asDshEvents(events)),
    stored: async (id) => (await backend.readFrom(SessionId(id), 0)).events,
    inspect: async (id) => (await backend.inspect(SessionId(id))).events,
    list: () => backend.list(),
  }
}

/** The same JSON: DSH's types know each event's data, ours do not. */
function asDshEvents(events: readonly SessionEvent[]): readonly DshEvent[] {
  return JSON.parse(JSON.stringify(events))
}
