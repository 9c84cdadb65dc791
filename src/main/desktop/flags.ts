import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'

/** What the app was started with. Paths are as given, not yet resolved. */
export interface Flags {
  readonly home?: string
  readonly sample: boolean
  readonly capture?: string
  /**
   * Prints the phases of the start once the window can be used, in milliseconds since the process began. Not named
   * `--trace-startup`: that is Chromium’s own, and slows the start it measures.
   */
  readonly startPhases: boolean
}

const WITH_VALUE: ReadonlySet<string> = new Set(['--home', '--capture'])
const ALONE: ReadonlySet<string> = new Set(['--sample', '--start-phases'])

/**
 * Our own flags among a process's arguments (without the executable). Everything else belongs to Electron, Chromium or
 * Playwright and is passed over. Read from `process.argv`, since `app.commandLine` lowercases values from 36 on.
 * Fails with `invalid_request` where a value is missing or two flags exclude each other.
 */
export function parseFlags(values: readonly string[]): Result<Flags> {
  const found = new Map<string, string>()
  for (let index = 0; index < values.length; index++) {
    const { name, inline } = splitFlag(values[index] ?? '')
    if (ALONE.has(name)) found.set(name, '')
    if (!WITH_VALUE.has(name)) continue
    const value = inline ?? values[++index]
    if (value === undefined || value === '' || value.startsWith('--')) {
      return fail(toolError('invalid_request', `${name} needs a value, such as ${name} ./here.`, { field: name }))
    }
    found.set(name, value)
  }
  const home = found.get('--home')
  const capture = found.get('--capture')
  const sample = found.has('--sample')
  if (sample && home !== undefined) {
    return fail(
      toolError('invalid_request', '--sample makes a home of its own; leave out --home.', { field: '--sample' }),
    )
  }
  return ok({
    ...(home === undefined ? {} : { home }),
    ...(capture === undefined ? {} : { capture }),
    sample,
    startPhases: found.has('--start-phases'),
  })
}

/** The arguments for another process of this app without our own flags, and without a debugger's port. */
export function argumentsWithoutFlags(values: readonly string[]): string[] {
  const kept: string[] = []
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? ''
    const { name, inline } = splitFlag(value)
    if (WITH_VALUE.has(name)) {
      if (inline === undefined) index++
    } else if (!ALONE.has(name) && !/^--(inspect|remote-debugging)/.test(name)) kept.push(value)
  }
  return kept
}

function splitFlag(value: string): { name: string; inline?: string } {
  const at = value.startsWith('--') ? value.indexOf('=') : -1
  return at < 0 ? { name: value } : { name: value.slice(0, at), inline: value.slice(at + 1) }
}
