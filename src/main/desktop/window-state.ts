import { readFile } from 'node:fs/promises'
import { replaceFile } from '../settings/replace-file.ts'

/** What the app remembers between two starts besides settings: nothing of it is missed if it is lost. */
export interface WindowStateFile {
  /** What the file holds; an empty record where it is missing, cut or no record at all (field fault F28). */
  read(): Promise<Readonly<Record<string, unknown>>>
  /** Replaces some entries. Changes are written one after the other; a failure is reported, never thrown. */
  change(entries: Readonly<Record<string, unknown>>): Promise<void>
  /** Resolves once all changes so far are on disk. */
  written(): Promise<void>
}

/** The state file at `path`; nothing is read or written yet. */
export function windowStateFile(path: string, report: (sentence: string, error: unknown) => void): WindowStateFile {
  let last: Promise<void> = Promise.resolve()
  const read = async (): Promise<Readonly<Record<string, unknown>>> => {
    try {
      const value: unknown = JSON.parse(await readFile(path, 'utf8'))
      return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
    } catch {
      // Not there, not readable or not JSON: the defaults will do.
      return {}
    }
  }
  return {
    read,
    async change(entries) {
      last = last.then(async () => {
        try {
          await replaceFile(path, `${JSON.stringify({ ...(await read()), ...entries })}\n`)
        } catch (error) {
          report(`${path} could not be written.`, error)
        }
      })
      await last
    },
    written: () => last,
  }
}
