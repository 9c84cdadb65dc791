import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import type { KnownPreset } from './presets.ts'

interface KnownAgent {
  /** The program's name on PATH. */
  readonly id: string
  readonly label: string
  readonly args: readonly string[]
  readonly usage?: 'session'
}

/**
 * Programs that are known to speak the Agent Client Protocol, and how, as their makers document it (the registry of
 * agentclientprotocol.com, and their own pages). Copilot tells tokens of the session so far (agent-client-protocol#1860).
 */
const KNOWN_AGENTS: readonly KnownAgent[] = [
  { id: 'claude-agent-acp', label: 'Claude Code', args: [] },
  { id: 'claude-code-acp', label: 'Claude Code (former adapter)', args: [] },
  { id: 'codex-acp', label: 'Codex', args: [] },
  { id: 'gemini', label: 'Gemini', args: ['--acp'] },
  { id: 'opencode', label: 'OpenCode', args: ['acp'] },
  { id: 'qwen', label: 'Qwen Code', args: ['--acp'] },
  { id: 'copilot', label: 'GitHub Copilot', args: ['--acp'], usage: 'session' },
  { id: 'goose', label: 'Goose', args: ['acp'] },
  { id: 'kimi', label: 'Kimi', args: ['acp'] },
  { id: 'vibe-acp', label: 'Mistral Vibe', args: [] },
  { id: 'auggie', label: 'Auggie', args: ['--acp'] },
  { id: 'cline', label: 'Cline', args: ['--acp'] },
  { id: 'kiro-cli', label: 'Kiro', args: ['acp'] },
  { id: 'codebuddy', label: 'CodeBuddy', args: ['--acp'] },
  { id: 'qodercli', label: 'Qoder', args: ['--acp'] },
]

/** An agent that is here and cannot be used; `why` goes on after its label. */
export interface UnusableAgent {
  readonly id: string
  readonly label: string
  readonly why: string
}

/** DSH would start, and then could not reach the tools (design §7). */
const DSH: UnusableAgent = { id: 'dsh', label: 'DeepSeek Harness', why: 'its ACP server takes no MCP servers' }

/** The known agents that are on PATH: those that can be used as presets, and those that cannot. Looks only; none is started. */
export async function findAgents(
  environment: NodeJS.ProcessEnv,
): Promise<{ readonly presets: readonly KnownPreset[]; readonly unusable: readonly UnusableAgent[] }> {
  const folders = (environment['PATH'] ?? environment['Path'] ?? '').split(delimiter).filter((path) => isAbsolute(path))
  const [dsh, ...found] = await Promise.all([
    findProgram(DSH.id, folders),
    ...KNOWN_AGENTS.map(async ({ id, ...how }): Promise<KnownPreset | undefined> => {
      const command = await findProgram(id, folders)
      return command === undefined ? undefined : { id, ...how, kind: 'acp', command, source: 'found' }
    }),
  ])
  return { presets: found.filter((preset) => preset !== undefined), unusable: dsh === undefined ? [] : [DSH] }
}

async function findProgram(name: string, folders: readonly string[]): Promise<string | undefined> {
  const names = process.platform === 'win32' ? [`${name}.exe`, `${name}.cmd`] : [name]
  for (const folder of folders) {
    for (const file of names) {
      const path = join(folder, file)
      if (await isProgram(path)) return path
    }
  }
  return undefined
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    // Not there, or not ours to run.
    return false
  }
}
