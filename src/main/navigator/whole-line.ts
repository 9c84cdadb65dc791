import { open, type FileHandle } from 'node:fs/promises'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import { ioFailure } from '../session-tree/io-failure.ts'
import { readBytes } from '../session-tree/log-file.ts'
import type { SessionPlace } from '../session-tree/session-tree.ts'

const LONGEST = 1_048_576
const NEWLINE = 10

/**
 * The whole of the line that begins at a byte offset, as text without its newline, up to 1 MiB: what the transcript
 * shows cut. Fails with `invalid_request` where no line begins there, which is also what a log that was replaced
 * since looks like, and with `io_failed`.
 */
export async function readWholeLine(place: SessionPlace, offset: number): Promise<Result<string>> {
  let file: FileHandle | undefined
  try {
    file = await open(place.logPath, 'r')
    const before = offset === 0 ? undefined : (await readBytes(file, offset - 1, 1))[0]
    const bytes = await readBytes(file, offset, LONGEST)
    if ((offset > 0 && before !== NEWLINE) || bytes.length === 0) {
      const message = `No line begins at byte ${offset} of ${place.logPath} any more. Open the session again to see it as it is now.`
      return fail(toolError('invalid_request', message, { path: place.logPath }))
    }
    const end = bytes.indexOf(NEWLINE)
    const line = end < 0 ? bytes : bytes.subarray(0, end)
    return ok(line.toString('utf8').replace(/\r$/, ''))
  } catch (error) {
    return fail(ioFailure(error, 'read the log', place.logPath))
  } finally {
    await file?.close()
  }
}
