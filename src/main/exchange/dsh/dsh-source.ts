import type { ForeignSession, Found, SessionSource } from '../source.ts'
import type { DshHeader } from './dsh-header.ts'
import { findDshLogs, type FoundLog } from './find-logs.ts'
import { readDshEvents, readDshHeader, type DshLogFile } from './read-dsh.ts'

/** DSH's own logs, plain and zstd, as its JSONL backend lays them out (dsh-format §1). */
export const dshSource: SessionSource = {
  label: 'DSH',
  async *find(folders, signal) {
    const seen = new Set<string>()
    for (const folder of folders) {
      for await (const found of findDshLogs(folder, signal)) {
        if (found.kind === 'problem') {
          yield found
        } else if (!seen.has(found.path)) {
          // Two of the folders may overlap.
          seen.add(found.path)
          yield* look(found, signal)
        }
      }
    }
  },
}

async function* look(log: Extract<FoundLog, { kind: 'log' }>, signal: AbortSignal | undefined): AsyncGenerator<Found> {
  const header = await readDshHeader(log, { signal })
  if (!header.ok) {
    yield { kind: 'problem', name: log.folder, error: header.error }
    return
  }
  // A session tree has the shape of one of DSH's project folders, but its logs say what they are.
  if (header.value.inTreeTerms && !log.inProject) return
  yield { kind: 'session', session: foreignSession(log, header.value) }
}

function foreignSession(log: DshLogFile, header: DshHeader): ForeignSession {
  const { id, createdAt, cwd, parentSession, seedLength, agentPreset } = header
  return {
    id,
    path: log.path,
    createdAt,
    ...(cwd === undefined ? {} : { cwd }),
    ...(parentSession === undefined ? {} : { parent: parentSession }),
    relation: header.origin === 'subagent' ? 'subagent' : 'fork',
    ...(seedLength === undefined ? {} : { seedLength }),
    ...(agentPreset === undefined ? {} : { agentPreset }),
    events: (signal) => readDshEvents(log, { signal }),
  }
}
