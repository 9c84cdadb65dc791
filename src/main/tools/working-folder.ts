import { stat } from 'node:fs/promises'
import { isAbsolute, parse } from 'node:path'
import { fail, ok, type Result } from '../../shared/result.ts'
import type { LogHeader } from '../../shared/session-event.ts'
import { toolError } from '../../shared/tool-error.ts'
import { errorCode } from '../session-tree/error-code.ts'

/**
 * The folder a request names: absolute on this host, there, and a folder (spec §3.1, field fault F10). Returned as it was
 * written. Fails with `cwd_not_absolute`, `cwd_missing` or `io_failed`.
 */
export async function checkFolder(cwd: string): Promise<Result<string>> {
  const field = 'cwd'
  if (!isAbsoluteHere(cwd)) {
    const message = `${JSON.stringify(cwd)} is not an absolute path on this system. Give the whole path of a folder.`
    return fail(toolError('cwd_not_absolute', message, { field, path: cwd }))
  }
  const wrong = await whyNoFolder(cwd)
  if (wrong?.kind === 'unreadable') {
    return fail(toolError('io_failed', `The folder ${cwd} cannot be looked at: ${wrong.reason}.`, { field, path: cwd }))
  }
  if (wrong) {
    const message = `${cwd} ${wrong.reason}. Give a folder that is there.`
    return fail(toolError('cwd_missing', message, { field, path: cwd }))
  }
  return ok(cwd)
}

/**
 * The folder a child takes over from its parent. It is never replaced by another one and never created: where it is gone
 * the creation is refused (field fault F10). Fails as {@link checkFolder}.
 */
export async function inheritedFolder(parent: LogHeader): Promise<Result<string>> {
  const field = 'cwd'
  const { cwd } = parent
  if (cwd === undefined || cwd === '') {
    const message = `${parent.id} has no working folder on record to take over. Give cwd.`
    return fail(toolError('cwd_missing', message, { field }))
  }
  const remedy = 'Bring it back, or give another folder as cwd.'
  if (!isAbsoluteHere(cwd)) {
    const message = `The working folder of ${parent.id}, ${JSON.stringify(cwd)}, is not an absolute path on this system. Give another folder as cwd.`
    return fail(toolError('cwd_not_absolute', message, { field, path: cwd }))
  }
  const wrong = await whyNoFolder(cwd)
  if (!wrong) return ok(cwd)
  const message = `The working folder of ${parent.id}, ${cwd}, ${wrong.reason}. ${remedy}`
  return fail(toolError(wrong.kind === 'unreadable' ? 'io_failed' : 'cwd_missing', message, { field, path: cwd }))
}

/** Absolute with its drive: on Windows `\home\dev` is rooted, but on whatever drive happens to be current. */
function isAbsoluteHere(path: string): boolean {
  return isAbsolute(path) && (process.platform !== 'win32' || parse(path).root.length > 1)
}

async function whyNoFolder(path: string): Promise<{ kind: 'missing' | 'unreadable'; reason: string } | undefined> {
  // No system has a path with a zero byte, and Node throws instead of looking.
  if (path.includes('\0')) return { kind: 'missing', reason: 'is not a possible path' }
  try {
    return (await stat(path)).isDirectory() ? undefined : { kind: 'missing', reason: 'is a file, not a folder' }
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing', reason: 'does not exist' }
    if (code === 'ENAMETOOLONG') return { kind: 'missing', reason: 'is too long a path for this system' }
    return { kind: 'unreadable', reason: code ?? String(error) }
  }
}
