import { createHash } from 'node:crypto'
import { chmod, lstat, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import type { HomePaths } from '../session-tree/home-paths.ts'

/** What every system takes as a socket's path, in bytes: macOS takes 103, Linux 107. */
const LONGEST_ADDRESS = 100

/**
 * Where the owner of a home listens: in the home, else where that path is too long in a private folder among the
 * system's temporary ones; on Windows a named pipe. Nobody needs to work this out twice: the owner announces it.
 */
export function socketAddress(paths: HomePaths): string {
  if (process.platform === 'win32') return `\\\\.\\pipe\\treeline-${digestOf(paths.home)}`
  if (Buffer.byteLength(paths.toolSocket) <= LONGEST_ADDRESS) return paths.toolSocket
  return join(tmpdir(), `treeline-${process.getuid?.()}-${digestOf(paths.home)}`, 'tools.sock')
}

/**
 * Makes the folder a socket will lie in, for nobody but this user. One that is there already must be this user's: among
 * the temporary folders anybody may have made it. Fails with `io_failed`.
 */
export async function preparePrivateFolder(address: string): Promise<Result<void>> {
  if (process.platform === 'win32') return ok(undefined)
  const folder = dirname(address)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const found = await lstat(folder)
    if (!found.isDirectory() || found.uid !== process.getuid?.()) {
      const message = `${folder} is not a folder of yours, so Treeline will not listen in it. Remove it, or set TMPDIR to a folder of your own.`
      return fail(toolError('io_failed', message, { path: folder }))
    }
    await chmod(folder, 0o700)
    return ok(undefined)
  } catch (error) {
    const message = `The folder ${folder} for Treeline's socket cannot be made: ${error instanceof Error ? error.message : String(error)}.`
    return fail(toolError('io_failed', message, { path: folder }))
  }
}

function digestOf(home: string): string {
  return createHash('sha256').update(home).digest('hex').slice(0, 16)
}
