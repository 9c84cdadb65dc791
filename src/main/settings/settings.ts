import type { Settings } from '../../shared/bridge.ts'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'

/** What holds where settings.json says nothing. */
export const DEFAULT_SETTINGS: Settings = Object.freeze({
  theme: 'system',
  editor: null,
  worktreePath: null,
  worktreeBranch: null,
  preset: null,
  agentsAtOnce: 4,
  budgetReserve: 0,
})

const LONGEST = 4096

/** Each setting's rule: what is wrong with a value, as the end of a sentence, or undefined. */
const RULES: { readonly [Name in keyof Settings]: (value: unknown) => string | undefined } = {
  theme: (value) => (isTheme(value) ? undefined : 'must be "system", "light" or "dark"'),
  editor: textFault,
  worktreePath: textFault,
  worktreeBranch: textFault,
  preset: textFault,
  agentsAtOnce: countFault(1, 64),
  budgetReserve: countFault(0, Number.MAX_SAFE_INTEGER),
}

/**
 * Settings from what a file or a caller holds. A field that is not sound gets its default, and a sentence in `faults`;
 * fields that are not ours are left alone.
 */
export function settingsFrom(value: unknown): { settings: Settings; faults: string[] } {
  if (!isRecord(value)) return { settings: DEFAULT_SETTINGS, faults: ['it does not hold a JSON object'] }
  const faults: string[] = []
  for (const [name, rule] of Object.entries(RULES)) {
    const fault = name in value ? rule(value[name]) : undefined
    if (fault !== undefined) faults.push(`"${name}" ${fault}`)
  }
  const { theme, editor, worktreePath, worktreeBranch, preset, agentsAtOnce, budgetReserve } = value
  const settings: Settings = {
    theme: isTheme(theme) ? theme : DEFAULT_SETTINGS.theme,
    editor: soundText(editor, RULES.editor),
    worktreePath: soundText(worktreePath, RULES.worktreePath),
    worktreeBranch: soundText(worktreeBranch, RULES.worktreeBranch),
    preset: soundText(preset, RULES.preset),
    agentsAtOnce: soundCount(agentsAtOnce, 'agentsAtOnce'),
    budgetReserve: soundCount(budgetReserve, 'budgetReserve'),
  }
  return { settings, faults }
}

/** Parses a change a caller asks for: every field must be known and sound, else `settings_invalid` with `field`. */
export function parseSettingsChange(value: unknown): Result<Partial<Settings>> {
  if (!isRecord(value)) return fail(toolError('settings_invalid', 'The change of settings must be an object.'))
  for (const name of Object.keys(value)) {
    if (!isSettingName(name)) {
      return fail(toolError('settings_invalid', `There is no setting named "${name}".`, { field: name }))
    }
    const fault = RULES[name](value[name])
    if (fault !== undefined) {
      return fail(toolError('settings_invalid', `The setting "${name}" ${fault}.`, { field: name }))
    }
  }
  return ok(value)
}

function isSettingName(name: string): name is keyof Settings {
  return Object.hasOwn(RULES, name)
}

function isTheme(value: unknown): value is Settings['theme'] {
  return value === 'system' || value === 'light' || value === 'dark'
}

function soundText(value: unknown, rule: (value: unknown) => string | undefined): string | null {
  return typeof value === 'string' && rule(value) === undefined ? value : null
}

function soundCount(value: unknown, name: 'agentsAtOnce' | 'budgetReserve'): number {
  return typeof value === 'number' && RULES[name](value) === undefined ? value : DEFAULT_SETTINGS[name]
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function countFault(least: number, most: number): (value: unknown) => string | undefined {
  return (value) => {
    const isSound = typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most
    if (isSound) return undefined
    return most === Number.MAX_SAFE_INTEGER
      ? `must be a whole number, ${least} or more`
      : `must be a whole number from ${least} to ${most}`
  }
}

/** What a template must look like beyond being a text is the worktree policy's to say: it knows what git takes. */
function textFault(value: unknown): string | undefined {
  if (value === null) return undefined
  if (typeof value !== 'string') return 'must be a text or null'
  if (value.trim() === '') return 'must not be empty; null means that one is chosen for you'
  if (value.length > LONGEST) return `must be at most ${LONGEST} letters long`
  if (value.includes('\0')) return 'must not hold a zero byte'
  return undefined
}
