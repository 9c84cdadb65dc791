import { toolError, type ToolError } from '../../shared/tool-error.ts'
import { errorCode } from './error-code.ts'

const REMEDY: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full. Free some space and try again.',
  EDQUOT: 'The disk quota is used up. Free some space and try again.',
  EFBIG: 'The file may not grow further. Raise the file size limit or use another disk.',
  EACCES: 'Treeline may not do that there. Check the permissions of the file and its folders.',
  EPERM: 'Treeline may not do that there. Check the permissions of the file and its folders.',
  EROFS: 'The disk is read-only. Make it writable, or choose another home.',
  ENOTDIR: 'Something on the way there is a file, not a folder. Move it away.',
  EISDIR: 'There is a folder where a file should be. Move it away.',
  EMFILE: 'Too many files are open. Close other programs and try again.',
  ENFILE: 'Too many files are open. Close other programs and try again.',
  ENAMETOOLONG: 'The path is too long for this system. Choose a home with a shorter path.',
}

/**
 * Turns a failed system call into words: `io_failed` with the path and the remedy.
 * @param doing what was tried, to follow "Could not", such as "append to the log".
 * @throws whatever is no system failure: that is a bug.
 */
export function ioFailure(error: unknown, doing: string, path: string): ToolError {
  const code = errorCode(error)
  if (code === undefined) throw error
  const remedy = REMEDY[code] ?? 'Check that the disk is there and try again.'
  return toolError('io_failed', `Could not ${doing} (${code}) at ${path}. ${remedy}`, { path })
}
