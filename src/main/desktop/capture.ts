import { writeFile } from 'node:fs/promises'
import type { BrowserWindow } from 'electron'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'

/** The size of a picture of the window, in pixels of a screen without scaling. */
export const CAPTURE_SIZE = { width: 1440, height: 900 } as const

const PATIENCE_MS = 30_000

/** The open session may be long in coming: a picture of the tree is one, too. */
const SETTLES_WITHIN_MS = 5000

/** In the page: resolves once it says of itself that it is this far, by `data-ready` or `data-settled`. */
const SAYS = `(name) => new Promise((resolve) => {
  const root = document.documentElement
  if (root.dataset[name] === 'true') return resolve()
  const observer = new MutationObserver(() => {
    if (root.dataset[name] !== 'true') return
    observer.disconnect()
    resolve()
  })
  observer.observe(root, { attributes: true, attributeFilter: ['data-' + name] })
})`

/** Resolves once the page shows the tree and what is open in it, its fonts are there, and all of that has been painted. */
const PAINTED = `(async () => {
  const says = ${SAYS}
  await says('ready')
  await Promise.race([says('settled'), new Promise((resolve) => setTimeout(resolve, ${SETTLES_WITHIN_MS}))])
  await document.fonts.ready
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
})()`

/** Resolves once the window shows its sessions and can be used; rejects if it is closed before. */
export async function whenUsable(window: BrowserWindow): Promise<void> {
  await window.webContents.executeJavaScript(`(${SAYS})('ready')`)
}

/**
 * Saves a picture of the window as PNG once it shows the tree. Fails with `io_failed` where the file cannot be written,
 * and with `internal` where the window does not get ready within 30 s.
 */
export async function capture(window: BrowserWindow, path: string): Promise<Result<null>> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), PATIENCE_MS)
  })
  try {
    if (window.webContents.isLoading()) {
      await Promise.race([
        late,
        new Promise((resolve) => window.webContents.once('did-stop-loading', () => resolve(null))),
      ])
    }
    const ready: unknown = await Promise.race([late, window.webContents.executeJavaScript(PAINTED)])
    if (ready === 'late') {
      return fail(
        toolError('internal', `The window did not show its tree within ${PATIENCE_MS / 1000} s; nothing was saved.`),
      )
    }
    const picture = await window.webContents.capturePage()
    if (picture.isEmpty()) return fail(toolError('internal', 'The window gave an empty picture; nothing was saved.'))
    await writeFile(path, picture.toPNG())
    return ok(null)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return fail(toolError('io_failed', `The picture could not be saved to ${path} (${reason}).`, { path }))
  } finally {
    clearTimeout(timer)
  }
}
