import { fail, ok, type Result } from '../../shared/result.ts'
import type { LogHeader } from '../../shared/session-event.ts'
import { toolError, type ToolError } from '../../shared/tool-error.ts'
import type { Preset } from './agent.ts'
import { findAgents, type UnusableAgent } from './found-agents.ts'
import { readPresetsFile } from './presets-file.ts'

/** A preset and where it comes from. `found`: its program is on PATH, and nobody had to write it down. */
export interface KnownPreset extends Preset {
  readonly source: 'file' | 'found' | 'built-in'
}

/** The presets there are, and what is wrong with the file: `preset_invalid`, by line. */
export interface PresetList {
  readonly presets: readonly KnownPreset[]
  readonly problems: readonly ToolError[]
  /** Agents that are on PATH and that no preset can be made of. */
  readonly unusable?: readonly UnusableAgent[]
}

/** Built in: it needs no model and no network, and is never guessed (design §7). */
export const SHELL_PRESET: KnownPreset = { id: 'shell', label: 'Shell', kind: 'shell', source: 'built-in' }

/** What is on PATH seldom changes, and is looked for with many small questions. */
const FOUND_FOR_MS = 30_000

/**
 * The presets of a home, read anew each time: what the person wrote in presets.json, the agents found on PATH, and the shell.
 * The person's own stand in the place of others of the same id.
 * @returns a function that never rejects.
 */
export function createPresets(path: string, environment: NodeJS.ProcessEnv): () => Promise<PresetList> {
  let found: { readonly at: number; readonly agents: ReturnType<typeof findAgents> } | undefined
  return async () => {
    if (!found || Date.now() - found.at > FOUND_FOR_MS) found = { at: Date.now(), agents: findAgents(environment) }
    const [file, agents] = await Promise.all([readPresetsFile(path), found.agents])
    const own = file.presets.map((preset): KnownPreset => ({ ...preset, source: 'file' }))
    const others = [...agents.presets, SHELL_PRESET].filter(({ id }) => !own.some((preset) => preset.id === id))
    const unusable = agents.unusable.filter(({ id }) => !own.some((preset) => preset.id === id))
    return { presets: [...own, ...others], problems: file.problems, ...(unusable.length > 0 && { unusable }) }
  }
}

/** A preset by its id, or `unknown_preset`, which lists those there are. */
export function findPreset(list: PresetList, id: string): Result<KnownPreset> {
  const found = list.presets.find((preset) => preset.id === id)
  if (found) return ok(found)
  const known = list.presets.map((preset) => preset.id).join(', ')
  const unusable = list.unusable?.find((agent) => agent.id === id)
  const why = unusable ? ` ${unusable.label} is here and cannot be used: ${unusable.why}.` : ''
  const message = `There is no agent preset named ${JSON.stringify(id.slice(0, 100))}.${why} There are: ${known}.`
  return fail(toolError('unknown_preset', message, { field: 'preset' }))
}

/** Ids that Treeline makes (`session-<uuidv7>`); DSH's own are of version 4. */
const OWN_ID = /^session-[0-9a-f]{8}-[0-9a-f]{4}-7/

/**
 * The preset a session's header names. An imported session's is DSH's word for something else (`standard`), and names none.
 */
export function namedPreset(header: Pick<LogHeader, 'id' | 'agentPreset' | 'legacy'>): string | undefined {
  return header.legacy || !OWN_ID.test(header.id) ? undefined : header.agentPreset
}

/**
 * The preset that a new session is to have (design §7): the one asked for, else its parent's, else the one chosen in settings.
 * Undefined: none, and its prompt waits until one is chosen. `shell` comes from the first two only: it is never guessed.
 * Fails with `unknown_preset`.
 * @param wanted.chosen the setting; one that is no longer there counts as none.
 */
export function presetForNew(
  list: PresetList,
  wanted: {
    readonly asked?: string | undefined
    readonly parent?: Pick<LogHeader, 'id' | 'agentPreset' | 'legacy'> | undefined
    readonly chosen?: string | undefined
  },
): Result<KnownPreset | undefined> {
  const { asked, parent, chosen } = wanted
  const id = asked ?? (parent && namedPreset(parent))
  if (id !== undefined) return findPreset(list, id)
  return ok(list.presets.find((preset) => preset.id === chosen && preset.kind !== 'shell'))
}

/**
 * How the agent of an existing session is started: what its header names, else what is chosen in settings. A message to an
 * imported session, or to one that never had a preset, does not become a shell command.
 * Fails with `unknown_preset`, also where none applies: then the sentence asks for one.
 */
export function chooseStart(
  list: PresetList,
  header: Pick<LogHeader, 'id' | 'agentPreset' | 'legacy'>,
  chosen: string | undefined,
): Result<KnownPreset> {
  const named = namedPreset(header)
  const id = named ?? chosen
  if (id === undefined) {
    const message = 'No agent was chosen for this session, so its message waits until one is chosen in settings.'
    return fail(toolError('unknown_preset', message, { field: 'preset' }))
  }
  const found = findPreset(list, id)
  if (!found.ok || found.value.kind !== 'shell' || named !== undefined) return found
  const message =
    'This session was not made for the shell, so its message waits and is not run as a command. Choose another agent in settings.'
  return fail(toolError('unknown_preset', message, { field: 'preset' }))
}
