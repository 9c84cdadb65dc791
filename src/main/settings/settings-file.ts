import { copyFile, readFile } from 'node:fs/promises'
import type { Settings } from '../../shared/bridge.ts'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import { replaceFile } from './replace-file.ts'
import { DEFAULT_SETTINGS, parseSettingsChange, settingsFrom } from './settings.ts'

export interface ReadSettings {
  readonly settings: Settings
  /** A sentence if the file could not be read or holds unsound fields; defaults stand in for those. */
  readonly problem?: string
}

/**
 * Reads `settings.json`. No file means the defaults. Never rejects and never writes: a file that is not sound yields
 * the defaults where it is not, and `problem` says so.
 */
export async function readSettings(path: string): Promise<ReadSettings> {
  const { settings, problem } = await readWhole(path)
  return problem === undefined ? { settings } : { settings, problem }
}

/** One change after the other for each file, so that two callers cannot undo each other's. */
const changesUnderWay = new Map<string, Promise<unknown>>()

/**
 * Changes some settings and returns all of them. Fields of the file that this version does not know are kept. A file
 * that is not sound is kept aside as `settings.json.bad` before the new one takes its place.
 * Fails with `settings_invalid` (the change itself) or `io_failed`; the file is as before then.
 */
export async function changeSettings(path: string, change: unknown): Promise<Result<Settings>> {
  const parsed = parseSettingsChange(change)
  if (!parsed.ok) return parsed
  const before = changesUnderWay.get(path) ?? Promise.resolve()
  const mine = before.then(() => applyChange(path, parsed.value))
  changesUnderWay.set(path, mine)
  try {
    return await mine
  } finally {
    if (changesUnderWay.get(path) === mine) changesUnderWay.delete(path)
  }
}

async function applyChange(path: string, change: Partial<Settings>): Promise<Result<Settings>> {
  const { settings, problem, unreadable, others } = await readWhole(path)
  if (unreadable) return fail(toolError('io_failed', problem ?? `${path} cannot be read.`, { path }))
  const changed: Settings = { ...settings, ...change }
  try {
    if (problem !== undefined) await copyFile(path, `${path}.bad`)
    await replaceFile(path, `${JSON.stringify({ ...others, ...changed }, null, 2)}\n`)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return fail(toolError('io_failed', `The settings could not be saved (${reason}). They are as before.`, { path }))
  }
  return ok(changed)
}

interface WholeFile extends ReadSettings {
  /** The file is there, but the system does not let us read it: it must not be replaced. */
  readonly unreadable: boolean
  readonly others: Readonly<Record<string, unknown>>
}

async function readWhole(path: string): Promise<WholeFile> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return { settings: DEFAULT_SETTINGS, unreadable: false, others: {} }
    }
    const reason = error instanceof Error ? error.message : String(error)
    const problem = `${path} could not be read (${reason}). The default settings are used.`
    return { settings: DEFAULT_SETTINGS, problem, unreadable: true, others: {} }
  }
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    const problem = `${path} is not valid JSON. The default settings are used until it is mended or a setting is changed here.`
    return { settings: DEFAULT_SETTINGS, problem, unreadable: false, others: {} }
  }
  const { settings, faults } = settingsFrom(value)
  const others = typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
  if (faults.length === 0) return { settings, unreadable: false, others }
  const problem = `${path} is not sound: ${faults.join('; ')}. The defaults are used in their place.`
  return { settings, problem, unreadable: false, others }
}
