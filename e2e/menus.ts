import type { ElectronApplication } from '@playwright/test'
import type { Menu } from 'electron'

/** Native menus cannot be clicked (engineering §0.8): from now on they are kept instead of shown. */
export async function catchMenus(app: ElectronApplication): Promise<void> {
  await app.evaluate((electron) => {
    const build = electron.Menu.buildFromTemplate.bind(electron.Menu)
    electron.Menu.buildFromTemplate = (template) => {
      const menu = build(template)
      menu.popup = (options) => void Object.assign(globalThis, { shown: menu, shownAt: options })
      return menu
    }
  })
}

/** Id, label and whether it can be chosen, of every item of the menu that was asked for last; none before there was one. */
export async function menuItems(app: ElectronApplication): Promise<(readonly [string, string, boolean])[]> {
  return app.evaluate(() => {
    const menu: Menu | undefined = Reflect.get(globalThis, 'shown')
    const items = menu?.items.filter((item) => item.type !== 'separator') ?? []
    return items.map((item) => [item.id, item.label, item.enabled] as const)
  })
}

/** Where in the window the last menu was to open; undefined for the pointer. */
export async function menuPlace(app: ElectronApplication): Promise<{ x?: number; y?: number }> {
  return app.evaluate(() => {
    const options: { x?: number; y?: number } = Reflect.get(globalThis, 'shownAt') ?? {}
    return { ...(options.x !== undefined && { x: options.x }), ...(options.y !== undefined && { y: options.y }) }
  })
}

/** Chooses an item, of a submenu too, as a click does. A disabled one cannot be chosen: throws. */
export async function clickItem(app: ElectronApplication, id: string): Promise<void> {
  await app.evaluate((_electron, wanted) => {
    const menu: Menu = Reflect.get(globalThis, 'shown')
    const item = menu.getMenuItemById(wanted)
    if (!item?.enabled) throw new Error(`${wanted} cannot be chosen: ${item ? item.label : 'there is no such item'}`)
    item.click()
  }, id)
}
