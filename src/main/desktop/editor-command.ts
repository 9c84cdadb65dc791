import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'

/** An executable and the arguments that go before the path. */
export interface EditorCommand {
  readonly executable: string
  readonly values: readonly string[]
}

/**
 * Reads an editor's command as a person writes it: a path, which may hold blanks, or a name and arguments, with quotes
 * where an argument holds blanks. No shell reads it, so `$`, `;` and `|` are letters like others.
 * @returns undefined for a blank command or an open quote
 */
export async function parseEditorCommand(
  written: string,
  environment: NodeJS.ProcessEnv,
): Promise<EditorCommand | undefined> {
  const whole = written.trim()
  if (whole !== '' && (await findExecutable(whole, environment)) !== undefined) return { executable: whole, values: [] }
  const words = splitWords(whole)
  const [executable, ...values] = words ?? []
  return executable === undefined || executable === '' ? undefined : { executable, values }
}

/** Splits at blanks outside single or double quotes. A backslash is a letter: Windows paths are full of them. */
function splitWords(text: string): string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  let quote: string | undefined
  for (const letter of text) {
    if (quote !== undefined) {
      if (letter === quote) quote = undefined
      else word += letter
    } else if (letter === '"' || letter === "'") {
      quote = letter
      word ??= ''
    } else if (/\s/.test(letter)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + letter
  }
  if (quote !== undefined) return undefined
  return word === undefined ? words : [...words, word]
}

/**
 * The absolute path of a program: itself if absolute, else the first on PATH. Undefined if there is none that may be
 * run. On Windows only `.exe` is looked for: scripts cannot be started without a shell.
 */
export async function findExecutable(name: string, environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (isAbsolute(name)) return (await isExecutable(name)) ? name : undefined
  if (name === '' || name.includes('/') || name.includes('\\')) return undefined
  const file = process.platform === 'win32' && !/\.exe$/i.test(name) ? `${name}.exe` : name
  const folders = (environment['PATH'] ?? environment['Path'] ?? '').split(delimiter).filter(isAbsolute)
  const found = await Promise.all(folders.map((folder) => isExecutable(join(folder, file))))
  const index = found.indexOf(true)
  const folder = folders[index]
  return folder === undefined ? undefined : join(folder, file)
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}
