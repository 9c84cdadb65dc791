import { spawn } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename } from 'node:path'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'
import { findExecutable, parseEditorCommand, type EditorCommand } from './editor-command.ts'
import { findEditors, hasOwnWindow, runningFirst } from './known-editors.ts'

/** An editor that has not died by then is taken to have started. */
const DIES_AT_ONCE_MS = 1000

const CHOOSE_ANOTHER = 'Choose another editor under Settings → Editor.'

interface Candidate extends EditorCommand {
  readonly label: string
  /** Windows' `explorer` answers 1 whatever it did. */
  readonly exitCodeSaysNothing?: true
}

/**
 * Opens a file in the editor chosen in settings; where none is chosen, in one that is found (a running one first), else
 * in `$VISUAL` or `$EDITOR` if it has a window of its own, else by the system's opener. The path is always one argument
 * of its own and no shell is involved; `shell.openPath` is not used (it blocks or never settles on Linux, engineering §0.3).
 *
 * Fails with `log_missing` where the file is gone, and with `editor_failed` where the editor is not there or ends with a
 * failure within a second; the sentence says which and how to choose another.
 * @param diesWithin how long an editor that fails may take to end and still be told of, in milliseconds
 * @returns the label of the editor that was started
 */
export async function openInEditor(
  path: string,
  chosen: string | null,
  environment: NodeJS.ProcessEnv,
  diesWithin = DIES_AT_ONCE_MS,
): Promise<Result<string>> {
  try {
    await stat(path)
  } catch {
    return fail(toolError('log_missing', `There is no file at ${path} any more, so it cannot be opened.`, { path }))
  }
  if (chosen !== null) return openInChosen(path, chosen, environment, diesWithin)
  const faults: string[] = []
  for (const candidate of await candidates(environment)) {
    const fault = await start(candidate, path, environment, diesWithin)
    if (fault === undefined) return ok(candidate.label)
    faults.push(fault)
  }
  const tried =
    faults.length === 0 ? 'No editor was found on this machine.' : `No editor could be started: ${faults.join('; ')}.`
  return fail(toolError('editor_failed', `${tried} ${CHOOSE_ANOTHER} The log is ${path}.`, { path }))
}

async function openInChosen(
  path: string,
  chosen: string,
  environment: NodeJS.ProcessEnv,
  diesWithin: number,
): Promise<Result<string>> {
  const command = await parseEditorCommand(chosen, environment)
  if (command === undefined) {
    return fail(
      toolError('editor_failed', `The editor command ${JSON.stringify(chosen)} cannot be read. ${CHOOSE_ANOTHER}`, {
        path,
      }),
    )
  }
  const label = basename(command.executable)
  const fault = await start({ ...command, label }, path, environment, diesWithin)
  if (fault === undefined) return ok(label)
  return fail(
    toolError('editor_failed', `The log was not opened in ${JSON.stringify(chosen)}: ${fault}. ${CHOOSE_ANOTHER}`, {
      path,
    }),
  )
}

async function candidates(environment: NodeJS.ProcessEnv): Promise<Candidate[]> {
  const found = await runningFirst(await findEditors(environment))
  const list: Candidate[] = found.map(({ label, command }) => ({ label, executable: command, values: [] }))
  for (const name of ['VISUAL', 'EDITOR']) {
    const written = environment[name]
    const command = written === undefined ? undefined : await parseEditorCommand(written, environment)
    if (command !== undefined && hasOwnWindow(command.executable)) {
      list.push({ ...command, label: basename(command.executable) })
    }
  }
  return [...list, ...(await systemOpener(environment))]
}

/** What opens a file by its kind. On macOS `-t` asks for the default text editor, since `.jsonl` is nobody's kind. */
async function systemOpener(environment: NodeJS.ProcessEnv): Promise<Candidate[]> {
  if (process.platform === 'darwin')
    return [{ label: 'the default text editor', executable: '/usr/bin/open', values: ['-t'] }]
  const name = process.platform === 'win32' ? 'explorer' : 'xdg-open'
  const executable = await findExecutable(name, environment)
  if (executable === undefined) return []
  const opener = { label: "the system's default application", executable, values: [] }
  return [process.platform === 'win32' ? { ...opener, exitCodeSaysNothing: true } : opener]
}

/** Starts one editor, detached. Answers undefined once it has started, else what went wrong, as half a sentence. */
async function start(
  candidate: Candidate,
  path: string,
  environment: NodeJS.ProcessEnv,
  diesWithin: number,
): Promise<string | undefined> {
  const { label, executable, values } = candidate
  // A program's own name is looked for on the PATH of the environment it gets, and a relative one nowhere.
  const program = await findExecutable(executable, environment)
  if (program === undefined) return `${label} was not found (${executable})`
  return new Promise((resolve) => {
    let child
    try {
      child = spawn(program, [...values, path], {
        detached: true,
        stdio: 'ignore',
        cwd: homedir(),
        env: withoutOurs(environment),
        windowsHide: false,
      })
    } catch (error) {
      // Synchronous on bad arguments and on Windows scripts.
      resolve(`${label} could not be started (${error instanceof Error ? error.message : String(error)})`)
      return
    }
    const started = setTimeout(() => settle(undefined), diesWithin)
    const settle = (fault: string | undefined): void => {
      clearTimeout(started)
      resolve(fault)
    }
    child.once('error', (error) => settle(`${label} could not be started (${error.message})`))
    child.once('exit', (code, signal) => {
      if (code === 0 || candidate.exitCodeSaysNothing) settle(undefined)
      else settle(`${label} ended at once (${signal === null ? `exit code ${code}` : signal})`)
    })
    child.unref()
  })
}

/** What Electron, npm and the debugger set for us would make an editor built on Electron start as plain Node. */
function withoutOurs(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(([name]) => !/^(ELECTRON_|NODE_OPTIONS$|npm_)/.test(name))
  return Object.fromEntries(kept)
}
