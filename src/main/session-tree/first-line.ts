import type { LogHeader } from '../../shared/session-event.ts'
import { toolError, type ToolError } from '../../shared/tool-error.ts'
import { readHeader } from './header.ts'
import type { SessionPlace } from './session-tree.ts'

/** The header if it can be had, and what is wrong with it; `end` is one past its newline. */
export type FirstLine =
  | { readonly header: LogHeader; readonly problem?: undefined; readonly end: number }
  | { readonly header: LogHeader; readonly problem: ToolError; readonly end: number }
  | { readonly header?: undefined; readonly problem: ToolError; readonly end: number }

const NEWLINE = 10

/**
 * Reads the header from a log's first bytes (at least the first 64 KiB, or all there are).
 * @param size the file's length: a log of no bytes is told from one whose first line is cut.
 */
export function readFirstLine(head: Buffer, size: number, place: SessionPlace): FirstLine {
  const path = place.logPath
  const failed = (code: 'log_damaged' | 'not_utf8', message: string, end = 0): FirstLine => ({
    problem: toolError(code, message, { path }),
    end,
  })
  if (size === 0)
    return failed(
      'log_damaged',
      `${path} is empty: it has not even a header. Restore it, or remove the session's folder.`,
    )
  if (isUtf16(head))
    return failed('not_utf8', `${path} is not UTF-8 but looks like UTF-16. Logs are UTF-8; convert it with an editor.`)
  const end = head.indexOf(NEWLINE)
  if (end === -1) {
    return failed(
      'log_damaged',
      head.length < size
        ? `The first line of ${path} is too long to be a header. Open the log in an editor.`
        : `The header of ${path} is cut: its line is not finished. If no program is just writing it, restore it or remove the session's folder.`,
    )
  }
  const { header, problem } = readHeader(head.toString('utf8', 0, end), place)
  if (header) return problem ? { header, problem, end: end + 1 } : { header, end: end + 1 }
  return problem ? { problem, end: end + 1 } : failed('log_damaged', `The first line of ${path} is no header.`, end + 1)
}

function isUtf16(bytes: Buffer): boolean {
  const [first, second] = bytes
  return (
    (first === 0xff && second === 0xfe) ||
    (first === 0xfe && second === 0xff) ||
    (second === 0 && first !== 0) ||
    (first === 0 && second !== 0)
  )
}
