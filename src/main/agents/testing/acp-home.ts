import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NewSession, SessionPlace } from '../../session-tree/session-tree.ts'
import { valueOf } from '../../session-tree/testing/tree-home.ts'
import { startAcpAgent } from '../acp-agent.ts'
import type { Preset } from '../agent.ts'
import type { KnownPreset } from '../presets.ts'
import { startShellAgent } from '../shell-agent.ts'
import { logOf, makeAgentHome, type AgentHome } from './agent-home.ts'

/** A home whose preset `acp` starts the scripted agent, in a real process. */
export interface AcpHome extends AgentHome {
  /** A session of that preset; it does not run yet. */
  acpSession(prompt: string, fields?: Partial<NewSession>): Promise<SessionPlace>
  /** A session of that preset whose first turn has ended. */
  play(prompt: string, fields?: Partial<NewSession>): Promise<SessionPlace>
  /** Another turn, to its end. */
  say(place: SessionPlace, prompt: string): Promise<void>
  /** What the agent was sent, by method. */
  received(method: string): Record<string, unknown>[]
}

export const SCRIPTED_AGENT = join(import.meta.dirname, 'scripted-acp-agent.ts')

/** @param options of scripted-acp-agent.ts. */
export function makeAcpHome(options: readonly string[] = [], more: Partial<Preset> = {}): AcpHome {
  const preset: KnownPreset = {
    id: 'acp',
    label: 'Scripted',
    kind: 'acp',
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', SCRIPTED_AGENT, ...options],
    source: 'file',
    ...more,
  }
  const home = makeAgentHome({ presets: [preset], startAgent: { acp: startAcpAgent, shell: startShellAgent } })
  const acpSession: AcpHome['acpSession'] = (prompt, fields = {}) =>
    home.session(prompt, { agentPreset: 'acp', ...fields })
  return {
    ...home,
    acpSession,
    async play(prompt, fields) {
      const place = await acpSession(prompt, fields)
      await home.settle(place.id)
      return place
    },
    async say(place, prompt) {
      valueOf(await home.tree.queuePrompt(place.id, prompt))
      await home.settle(place.id)
    },
    received(method) {
      const path = join(home.cwd, 'received.jsonl')
      if (!existsSync(path)) return []
      const lines = readFileSync(path, 'utf8').trim().split('\n')
      return lines
        .map((line) => JSON.parse(line))
        .filter((line) => line.method === method)
        .map((line) => line.params)
    },
  }
}

export const typesOf = (place: SessionPlace) => logOf(place).map(({ type }) => type)

export const dataOf = (place: SessionPlace, type: string) =>
  logOf(place).flatMap((event) => (event.type === type ? [event.data] : []))

/** The content blocks of the agent's messages, message by message. */
export const messagesOf = (place: SessionPlace) =>
  dataOf(place, 'assistant/message').map(({ message }) => Object(message).content)

/** Why the last turn ended. */
export const reasonOf = (place: SessionPlace) => dataOf(place, 'turn/end').at(-1)?.['reason']
