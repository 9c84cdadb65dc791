import { delimiter } from 'node:path'
import type { AgentStart } from './agent.ts'

/** What an agent's process gets: its preset's variables, the `treeline` command first on PATH, and its way to the tools. */
export function environmentOf({
  environment,
  gateway,
  preset,
}: Pick<AgentStart, 'environment' | 'gateway' | 'preset'>): NodeJS.ProcessEnv {
  const path = preset.env?.['PATH'] ?? environment['PATH'] ?? ''
  return {
    ...environment,
    ...preset.env,
    PATH: path === '' ? gateway.binFolder : `${gateway.binFolder}${delimiter}${path}`,
    TREELINE_SOCKET: gateway.socket,
    TREELINE_TOKEN: gateway.token,
  }
}
