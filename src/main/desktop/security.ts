import { app, type Session } from 'electron'
import { isOwnAddress } from './links.ts'

/**
 * Sets what Electron's security list asks of a session and of every page in it (engineering §3.1, items 5 and 11 to 14):
 * no permission is granted, nothing but our own page is gone to, no window is opened, no guest page is attached.
 * To be called before any page exists.
 */
export function secure(session: Session, report: (sentence: string) => void): void {
  session.setPermissionRequestHandler((_contents, permission, answer) => {
    report(`The permission "${permission}" was asked for and denied.`)
    answer(false)
  })
  session.setPermissionCheckHandler(() => false)
  session.setDevicePermissionHandler(() => false)
  app.on('web-contents-created', (_event, contents) => {
    contents.on('will-navigate', (details) => {
      if (isOwnAddress(details.url)) return
      details.preventDefault()
      report(`Going to ${details.url} was prevented.`)
    })
    contents.on('will-frame-navigate', (details) => {
      if (!isOwnAddress(details.url)) details.preventDefault()
    })
    contents.on('will-redirect', (details) => {
      if (!isOwnAddress(details.url)) details.preventDefault()
    })
    contents.setWindowOpenHandler(({ url }) => {
      report(`A window for ${url} was denied.`)
      return { action: 'deny' }
    })
    contents.on('will-attach-webview', (event) => event.preventDefault())
  })
}
