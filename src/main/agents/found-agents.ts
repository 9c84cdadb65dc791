import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import type { KnownPreset } from './presets.ts'

/**
 * Programs that are known to speak the Agent Client Protocol, and how. DSH is not among them: its own server takes no MCP
 * servers, so it could not reach the tools (design §7).
 */
const KNOWN_AGENTS: readonly { readonly id: string; readonly label: string; readonly args: readonly string[] }[] = [
  { id: 'claude-agent-acp', label: 'Claude Code', args: [] },
  { id: 'claude-code-acp', label: 'Claude Code', args: [] },
  { id: 'codex-acp', label: 'Codex', args: [] },
  { id: 'gemini', label: 'Gemini', args: ['--experimental-acp'] },
  { id: 'opencode', label: 'OpenCode', args: ['acp'] },
  { id: 'qwen', label: 'Qwen Code', args: ['--acp'] },
  { id: 'goose', label: 'Goose', args: ['acp'] },
  { id: 'auggie', label: 'Auggie', args: ['--acp'] },
  { id: 'vibe-acp', label: 'Mistral Vibe', args: [] },
]

/** The known agents that are on PATH, as presets. Looks only; none is started. */
export async function findAgents(environment: NodeJS.ProcessEnv): Promise<KnownPreset[]> {
  const folders = (environment['PATH'] ?? environment['Path'] ?? '').split(delimiter).filter((path) => isAbsolute(path))
  const found = await Promise.all(
    KNOWN_AGENTS.map(async ({ id, label, args }): Promise<KnownPreset | undefined> => {
      const command = await findProgram(id, folders)
      return command === undefined ? undefined : { id, label, kind: 'acp', command, args, source: 'found' }
    }),
  )
  return found.filter((preset) => preset !== undefined)
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
