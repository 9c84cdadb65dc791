import { clipboard, dialog, nativeTheme, shell, type BrowserWindow } from 'electron'
import { channelOf, type Pushes, type Settings } from '../../shared/bridge.ts'
import { popUpSessionMenu } from './session-menu-popup.ts'
import type { MenuAct, SessionMenuItem } from './session-menu.ts'

/** What the calls need of the desktop around the window. The rest of them is plain Node. */
export interface System {
  push<Push extends keyof Pushes>(name: Push, value: Pushes[Push]): void
  showMenu(
    items: readonly SessionMenuItem[],
    at: { readonly x: number; readonly y: number } | null,
    act: (chosen: MenuAct) => void,
  ): void
  copy(text: string): Promise<void>
  /** Shows a file in the file manager. What comes of it is not known: some systems never answer. */
  reveal(path: string): void
  openLink(address: string): Promise<void>
  /** Asks for a folder; undefined if the person thought better of it. */
  chooseFolder(title: string, startAt: string): Promise<string | undefined>
  applyTheme(theme: Settings['theme']): void
}

/** The desktop as Electron gives it, around one window. */
export function systemAround(window: BrowserWindow): System {
  return {
    push(name, value) {
      if (!window.isDestroyed()) window.webContents.send(channelOf(name), value)
    },
    showMenu: (items, at, act) => popUpSessionMenu(window, items, at, act),
    async copy(text) {
      // Answers a promise from Electron 44 on.
      await Promise.resolve(clipboard.writeText(text))
    },
    reveal: (path) => shell.showItemInFolder(path),
    openLink: (address) => shell.openExternal(address),
    async chooseFolder(title, startAt) {
      const { canceled, filePaths } = await dialog.showOpenDialog(window, {
        title,
        defaultPath: startAt,
        properties: ['openDirectory', 'showHiddenFiles'],
      })
      return canceled ? undefined : filePaths[0]
    },
    applyTheme(theme) {
      nativeTheme.themeSource = theme
    },
  }
}
