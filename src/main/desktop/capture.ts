import { writeFile } from 'node:fs/promises'
import type { BrowserWindow } from 'electron'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'

/** The size of a picture of the window, in pixels of a screen without scaling. */
export const CAPTURE_SIZE = { width: 1440, height: 900 } as const

const PATIENCE_MS = 30_000

/** Resolves once the page says it shows the tree, its fonts are there, and what it says has been painted. */
const READY = `new Promise((resolve) => {
  const root = document.documentElement
  const painted = () => document.fonts.ready.then(() => requestAnimationFrame(() => requestAnimationFrame(() => resolve(true))))
  if (root.dataset.ready === 'true') return painted()
  const observer = new MutationObserver(() => {
    if (root.dataset.ready !== 'true') return
    observer.disconnect()
    painted()
  })
  observer.observe(root, { attributes: true, attributeFilter: ['data-ready'] })
})`

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
    const ready: unknown = await Promise.race([late, window.webContents.executeJavaScript(READY)])
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
