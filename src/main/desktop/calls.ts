import { ok } from '../../shared/result.ts'
import { agentCalls } from './agent-calls.ts'
import { importCalls } from './import-calls.ts'
import type { CallHandlers } from './ipc.ts'
import { logCalls } from './log-calls.ts'
import type { Parts } from './parts.ts'
import { settingsCalls } from './settings-calls.ts'
import { toolCalls } from './tool-calls.ts'

/** What answers every call of the table. */
export function callHandlers(parts: Parts): CallHandlers {
  const { navigator, live } = parts
  return {
    ...toolCalls(parts),
    ...agentCalls(parts),
    ...logCalls(parts),
    ...importCalls(parts),
    ...settingsCalls(parts),
    snapshot: async () => ok(navigator.snapshot()),
    details: (id) => navigator.details(id),
    read_log: (id, page) => navigator.readLog(id, page),
    read_line: (id, offset) => navigator.readLine(id, offset),
    async watch(visible, open) {
      live.watch(visible, open)
      return ok(null)
    },
  }
}
