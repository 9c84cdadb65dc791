import { Menu, type BrowserWindow, type MenuItemConstructorOptions } from 'electron'
import type { MenuAct, SessionMenuItem } from './session-menu.ts'

/**
 * Shows a session's menu and returns at once. It opens at the pointer, or where `at` says, in the window's own pixels,
 * when the keyboard asked for it.
 * @param act is told what was chosen
 */
export function popUpSessionMenu(
  window: BrowserWindow,
  items: readonly SessionMenuItem[],
  at: { readonly x: number; readonly y: number } | null,
  act: (chosen: MenuAct) => void,
): void {
  const menu = Menu.buildFromTemplate(items.map((item) => template(item, act)))
  // Electron wants whole numbers; a row's place in a zoomed page is none.
  menu.popup(at === null ? { window } : { window, x: Math.round(at.x), y: Math.round(at.y) })
}

function template(item: SessionMenuItem, act: (chosen: MenuAct) => void): MenuItemConstructorOptions {
  if (item.separator) return { type: 'separator' }
  const { id, label, enabled, accelerator, submenu } = item
  return {
    id,
    // A lone & would mark the next letter on Linux and Windows.
    label: label.replaceAll('&', '&&'),
    enabled,
    ...(accelerator === undefined ? {} : { accelerator, registerAccelerator: false }),
    ...(submenu ? { submenu: submenu.map((inner) => template(inner, act)) } : {}),
    click: () => {
      if (item.act) act(item.act)
    },
  }
}
