import { sep } from 'node:path'
import { toolError, type ToolError } from '../../shared/tool-error.ts'

/** The longest path a system takes, in bytes without the final NUL. */
function longestPathOf(platform: NodeJS.Platform): number {
  if (platform === 'win32') return 259
  return platform === 'darwin' ? 1023 : 4095
}

/** The longest name of one folder or file, in bytes, on every file system in common use. */
const LONGEST_NAME = 255

/**
 * Says beforehand that a worktree would not fit (field fault F12), so that nothing has to be cleaned up.
 * @param path the worktree's root
 * @param longestInside the longest path of a file in the commit, in bytes
 * @returns `path_too_long` with the numbers, or undefined if it fits
 */
export function pathLengthProblem(
  path: string,
  longestInside: number,
  platform: NodeJS.Platform = process.platform,
): ToolError | undefined {
  const remedy = 'Choose a shorter worktree path in settings.'
  const limit = longestPathOf(platform)
  const length = Buffer.byteLength(path) + 1 + longestInside
  if (length > limit) {
    return toolError(
      'path_too_long',
      `The longest file of this repository would have a path of ${length} bytes in the worktree ${shorten(path)}; this system takes ${limit}. ${remedy}`,
      { path },
    )
  }
  const name = path.split(sep).find((part) => Buffer.byteLength(part) > LONGEST_NAME)
  if (name === undefined) return undefined
  return toolError(
    'path_too_long',
    `The folder name ${shorten(name)} has ${Buffer.byteLength(name)} bytes; this system takes ${LONGEST_NAME}. ${remedy}`,
    { path },
  )
}

function shorten(text: string): string {
  return text.length > 120 ? `${text.slice(0, 60)}…${text.slice(-50)}` : text
}
