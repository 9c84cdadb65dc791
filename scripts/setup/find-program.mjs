import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * @param {string} name
 * @param {string | undefined} path as in PATH
 * @returns {string | undefined} where it is
 */
export function findProgram(name, path = process.env['PATH']) {
  for (const folder of (path ?? '').split(delimiter)) {
    if (folder === '') continue
    const names = process.platform === 'win32' ? [`${name}.exe`, `${name}.cmd`] : [name]
    for (const candidate of names.map((file) => join(folder, file))) {
      try {
        accessSync(candidate, constants.X_OK)
        return candidate
      } catch {
        // Not in this folder.
      }
    }
  }
  return undefined
}
