import type { MenuItemConstructorOptions } from 'electron'

/** What the menu asks of the app; everything else in it is a role of the system's. */
export interface ApplicationMenuActs {
  openOwnLog(): void
  revealHome(): void
}

/** The application's menu. Every item that is ours has an id, so that tests and the window can name it. */
export function applicationMenu(acts: ApplicationMenuActs, platform: NodeJS.Platform): MenuItemConstructorOptions[] {
  const mac = platform === 'darwin'
  return [
    ...(mac ? [{ id: 'app', role: 'appMenu' } satisfies MenuItemConstructorOptions] : []),
    {
      id: 'file',
      label: '&File',
      submenu: [
        { id: 'reveal-home', label: 'Show Sessions Folder', click: () => acts.revealHome() },
        { type: 'separator' },
        mac ? { id: 'close', role: 'close' } : { id: 'quit', role: 'quit' },
      ],
    },
    {
      id: 'edit',
      label: '&Edit',
      submenu: [
        { id: 'undo', role: 'undo' },
        { id: 'redo', role: 'redo' },
        { type: 'separator' },
        { id: 'cut', role: 'cut' },
        { id: 'copy', role: 'copy' },
        { id: 'paste', role: 'paste' },
        { id: 'paste-plain', role: 'pasteAndMatchStyle' },
        { id: 'select-all', role: 'selectAll' },
      ],
    },
    {
      id: 'view',
      label: '&View',
      submenu: [
        { id: 'zoom-reset', role: 'resetZoom' },
        { id: 'zoom-in', role: 'zoomIn' },
        { id: 'zoom-out', role: 'zoomOut' },
        { type: 'separator' },
        { id: 'full-screen', role: 'togglefullscreen' },
      ],
    },
    {
      id: 'window',
      label: '&Window',
      submenu: mac
        ? [
            { id: 'minimize', role: 'minimize' },
            { id: 'zoom', role: 'zoom' },
            { type: 'separator' },
            { id: 'front', role: 'front' },
          ]
        : [
            { id: 'minimize', role: 'minimize' },
            { id: 'close', role: 'close' },
          ],
    },
    {
      id: 'help',
      label: '&Help',
      role: 'help',
      submenu: [
        { id: 'own-log', label: 'Open Treeline’s Own Log', click: () => acts.openOwnLog() },
        { id: 'developer-tools', role: 'toggleDevTools' },
        ...(mac
          ? []
          : ([{ type: 'separator' }, { id: 'about', role: 'about' }] satisfies MenuItemConstructorOptions[])),
      ],
    },
  ]
}
