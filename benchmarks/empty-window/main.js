import { app, BrowserWindow } from 'electron'

// The least an Electron window can be: what the start of the app is measured against.
const show = () => {
  const window = new BrowserWindow({ width: 1440, height: 900, show: false })
  window.once('ready-to-show', () => {
    window.show()
    process.stdout.write('usable\n')
  })
  void window.loadURL('data:text/html,<title>Empty</title>')
}
void app.whenReady().then(show)
