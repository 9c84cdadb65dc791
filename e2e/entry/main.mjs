import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { app } from 'electron'

// The app as Playwright starts it: the built one and nothing else, but it learns that Electron is ready only once Playwright
// has attached. Playwright that attaches to a window in the middle of its first navigation misses the end of it, and its launch
// waits for ever: once in about a hundred times. Its own remedy (the loader it gives to an Electron that it has found by
// itself) does the same, and calls what it has deferred by this name.

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
