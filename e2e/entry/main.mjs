import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { app } from 'electron'

// The app as Playwright starts it: the built one and nothing else, but it learns that Electron is ready only once Playwright
// has attached. Where a window is made in the moment in which Playwright attaches, its launch waits for ever, about once in a
// hundred times. Playwright has the same remedy for an Electron that it finds by itself (its loader), and this is its name for the call.

const project = resolve(import.meta.dirname, '..', '..')
const isReady = app.whenReady()
const attached = Promise.withResolvers()
app.whenReady = () => attached.promise
Object.assign(globalThis, {
  __playwright_run: async () => {
    await isReady
    attached.resolve()
  },
})
app.setAppPath(project)
await import(pathToFileURL(join(project, 'out', 'main', 'index.js')).href)
