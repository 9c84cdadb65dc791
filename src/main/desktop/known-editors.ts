import { execFile } from 'node:child_process'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { findExecutable } from './editor-command.ts'

/** An editor with a window of its own. Terminal editors are not here: the app has no terminal to give them. */
interface KnownEditor {
  readonly label: string
  /** Names of its command on PATH. */
  readonly commands: readonly string[]
  /** The command inside `/Applications` or `~/Applications` on macOS. */
  readonly mac?: string
  /** Below the program folders on Windows. */
  readonly windows?: string
}

export interface FoundEditor {
  readonly label: string
  /** Absolute path of what is started. */
  readonly command: string
}

/** In the order they are tried where none is running and none was chosen. */
const KNOWN: readonly KnownEditor[] = [
  {
    label: 'Visual Studio Code',
    commands: ['code'],
    mac: 'Visual Studio Code.app/Contents/Resources/app/bin/code',
    windows: 'Microsoft VS Code\\Code.exe',
  },
  {
    label: 'Cursor',
    commands: ['cursor'],
    mac: 'Cursor.app/Contents/Resources/app/bin/cursor',
    windows: 'cursor\\Cursor.exe',
  },
  {
    label: 'Windsurf',
    commands: ['windsurf'],
    mac: 'Windsurf.app/Contents/Resources/app/bin/windsurf',
    windows: 'Windsurf\\Windsurf.exe',
  },
  {
    label: 'VSCodium',
    commands: ['codium', 'vscodium'],
    mac: 'VSCodium.app/Contents/Resources/app/bin/codium',
    windows: 'VSCodium\\VSCodium.exe',
  },
  {
    label: 'VS Code Insiders',
    commands: ['code-insiders'],
    mac: 'Visual Studio Code - Insiders.app/Contents/Resources/app/bin/code',
    windows: 'Microsoft VS Code Insiders\\Code - Insiders.exe',
  },
  { label: 'Zed', commands: ['zed', 'zeditor'], mac: 'Zed.app/Contents/MacOS/cli', windows: 'Zed\\Zed.exe' },
  {
    label: 'Sublime Text',
    commands: ['subl', 'sublime_text'],
    mac: 'Sublime Text.app/Contents/SharedSupport/bin/subl',
    windows: 'Sublime Text\\subl.exe',
  },
  { label: 'IntelliJ IDEA', commands: ['idea'], mac: 'IntelliJ IDEA.app/Contents/MacOS/idea' },
  { label: 'WebStorm', commands: ['webstorm'], mac: 'WebStorm.app/Contents/MacOS/webstorm' },
  { label: 'PyCharm', commands: ['pycharm'], mac: 'PyCharm.app/Contents/MacOS/pycharm' },
  { label: 'GoLand', commands: ['goland'], mac: 'GoLand.app/Contents/MacOS/goland' },
  { label: 'RubyMine', commands: ['rubymine'], mac: 'RubyMine.app/Contents/MacOS/rubymine' },
  { label: 'Nova', commands: ['nova'], mac: 'Nova.app/Contents/SharedSupport/nova' },
  { label: 'BBEdit', commands: ['bbedit'], mac: 'BBEdit.app/Contents/Helpers/bbedit_tool' },
  { label: 'TextMate', commands: ['mate'], mac: 'TextMate.app/Contents/MacOS/mate' },
  { label: 'MacVim', commands: ['mvim'], mac: 'MacVim.app/Contents/bin/mvim' },
  { label: 'GVim', commands: ['gvim'], windows: 'Vim\\vim91\\gvim.exe' },
  { label: 'Kate', commands: ['kate'] },
  { label: 'GNOME Text Editor', commands: ['gnome-text-editor'] },
  { label: 'gedit', commands: ['gedit'] },
  { label: 'KWrite', commands: ['kwrite'] },
  { label: 'Mousepad', commands: ['mousepad'] },
  { label: 'xed', commands: ['xed'] },
  { label: 'Pluma', commands: ['pluma'] },
  { label: 'Geany', commands: ['geany'] },
  { label: 'FeatherPad', commands: ['featherpad'] },
  { label: 'Notepad++', commands: ['notepad++'], windows: 'Notepad++\\notepad++.exe' },
]

/** Editors that need a terminal: they end at once, or hang unseen, when a window starts them. */
const NEED_A_TERMINAL: ReadonlySet<string> = new Set(
  'vi vim vim.basic vim.tiny nvim view nano pico emacs emacsclient joe jed ne mg micro hx helix kak ed ex less'.split(
    ' ',
  ),
)

/** False for an editor known to need a terminal; `$VISUAL` and `$EDITOR` often name one. */
export function hasOwnWindow(executable: string): boolean {
  return !NEED_A_TERMINAL.has(basename(executable).replace(/\.exe$/i, ''))
}

/** The editors that are installed, as far as PATH and the usual program folders show, in the order of the list above. */
export async function findEditors(environment: NodeJS.ProcessEnv): Promise<FoundEditor[]> {
  const found = await Promise.all(
    KNOWN.map(async (editor) => {
      for (const place of [...editor.commands, ...programPlaces(editor, environment)]) {
        const command = await findExecutable(place, environment)
        if (command !== undefined) return { label: editor.label, command }
      }
      return undefined
    }),
  )
  return found.filter((editor) => editor !== undefined)
}

function programPlaces(editor: KnownEditor, environment: NodeJS.ProcessEnv): string[] {
  if (process.platform === 'darwin' && editor.mac !== undefined) {
    return [join('/Applications', editor.mac), join(homedir(), 'Applications', editor.mac)]
  }
  if (process.platform !== 'win32' || editor.windows === undefined) return []
  const { windows } = editor
  const local = environment['LOCALAPPDATA']
  const folders = [local && join(local, 'Programs'), environment['ProgramFiles'], environment['ProgramFiles(x86)']]
  return folders.flatMap((folder) => (folder ? [join(folder, windows)] : []))
}

/**
 * The found editors with those that are running first: a person's open editor is the one they mean. Asks `ps` on Linux
 * and macOS, for at most half a second; elsewhere, or where it fails, the order stays.
 */
export async function runningFirst(editors: readonly FoundEditor[]): Promise<readonly FoundEditor[]> {
  if (process.platform === 'win32' || editors.length < 2) return editors
  const running = await runningPrograms()
  const isRunning = (editor: FoundEditor): boolean => running.has(basename(editor.command))
  return [...editors.filter(isRunning), ...editors.filter((editor) => !isRunning(editor))]
}

async function runningPrograms(): Promise<ReadonlySet<string>> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-x', '-o', 'comm='], { timeout: 500, maxBuffer: 4_194_304 })
    return new Set(stdout.split('\n').map((line) => basename(line.trim())))
  } catch {
    // No `ps`, or too slow: which editor runs is a nicety.
    return new Set()
  }
}
