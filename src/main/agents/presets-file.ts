import { readFile } from 'node:fs/promises'
import type { ToolError } from '../../shared/tool-error.ts'
import { toolError } from '../../shared/tool-error.ts'
import { asRecord } from '../session-tree/event.ts'
import { errorCode } from '../session-tree/error-code.ts'
import type { Preset } from './agent.ts'
import { lineOfSyntaxError, lineOfValue } from './json-place.ts'
import { parsePreset } from './preset-schema.ts'

/** What presets.json holds: what can be used of it, and what is wrong with the rest, by line. */
export interface PresetsFile {
  readonly presets: readonly Preset[]
  /** All of code `preset_invalid`, with `path`. */
  readonly problems: readonly ToolError[]
}

/**
 * Reads presets.json: a list of presets, or an object with such a list as `presets`. A preset that is not sound is left out
 * and named; the others work. No file means none. Never rejects and never writes.
 */
export async function readPresetsFile(path: string): Promise<PresetsFile> {
  let text: string
  try {
    text = (await readFile(path, 'utf8')).replace(/^\uFEFF/, '')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { presets: [], problems: [] }
    const reason = error instanceof Error ? error.message : String(error)
    return {
      presets: [],
      problems: [problem(path, `${path} could not be read (${reason}). Its presets are left out.`)],
    }
  }
  return parsePresets(text, path)
}

function parsePresets(text: string, path: string): PresetsFile {
  const problems: ToolError[] = []
  const report = (line: number, what: string) =>
    problems.push(problem(path, `Line ${line} of ${path}: ${what}. The other presets work.`))
  let whole: unknown
  try {
    whole = JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const sentence = `Line ${lineOfSyntaxError(text, error)} of ${path} is not valid JSON (${reason}). Its presets are left out until it is.`
    return { presets: [], problems: [problem(path, sentence)] }
  }
  const inObject = asRecord(whole)
  const list: unknown = inObject ? inObject['presets'] : whole
  const base: readonly PropertyKey[] = inObject ? ['presets'] : []
  if (!Array.isArray(list)) {
    return { presets: [], problems: [problem(path, `Line 1 of ${path}: it must hold a list of presets.`)] }
  }
  const presets: Preset[] = []
  for (const [index, value] of list.entries()) {
    const parsed = parsePreset(value)
    if ('what' in parsed) {
      const at = [...base, index, ...parsed.path]
      const field = parsed.path.length === 0 ? '' : `"${parsed.path.join('.')}" `
      report(lineOfValue(text, at), `${nameOf(value, index)} cannot be used: ${field || 'it '}${parsed.what}`)
    } else if (presets.some(({ id }) => id === parsed.id)) {
      report(lineOfValue(text, [...base, index, 'id']), `there is another preset named "${parsed.id}" before it`)
    } else presets.push(parsed)
  }
  return { presets, problems }
}

function nameOf(value: unknown, index: number): string {
  const id = asRecord(value)?.['id']
  return typeof id === 'string' && id !== '' ? `the preset "${id.slice(0, 64)}"` : `preset ${index + 1}`
}

function problem(path: string, message: string): ToolError {
  return toolError('preset_invalid', message, { path })
}
