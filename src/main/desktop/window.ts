import { BrowserWindow, nativeTheme, screen, type Rectangle } from 'electron'
import { BUNDLE } from './links.ts'
import { SMALLEST, soundPlace } from './window-bounds.ts'
import type { WindowStateFile } from './window-state.ts'

/** The theme's own ground, so that no flash of another one is seen before the first paint. */
const GROUND = { light: '#ffffff', dark: '#161917' } as const

/** A moved window's place is written once it has rested for this long: dragging reports dozens of places a second. */
const RESTED_MS = 500

export interface WindowOptions {
  readonly preload: string
  readonly state: WindowStateFile
  /** A fixed content size instead of the remembered place, for pictures. */
  readonly contentSize?: { readonly width: number; readonly height: number }
}

export interface OpenedWindow {
  readonly window: BrowserWindow
  /** Writes the window's place down now: at a quit no window is closed before everything has stopped. */
  readonly keepPlace: () => void
}

/**
 * Opens the one window and starts to load its page in the same tick: the page loads while the rest of main gets ready.
 * It is shown once it can paint. Where it was last is remembered, and it comes back on a screen that is there.
 * @param saved what the state file held
 */
export function openWindow(saved: Readonly<Record<string, unknown>>, options: WindowOptions): OpenedWindow {
  const { preload, contentSize } = options
  const place = contentSize
    ? { ...contentSize, maximized: false, fullScreen: false }
    : soundPlace(saved['window'], workAreas())
  const { maximized, fullScreen, ...bounds } = place
  const window = new BrowserWindow({
    ...bounds,
    useContentSize: contentSize !== undefined,
    minWidth: SMALLEST.width,
    minHeight: SMALLEST.height,
    show: false,
    title: 'Treeline',
    autoHideMenuBar: true,
    backgroundColor: ground(),
    webPreferences: { preload, sandbox: true, contextIsolation: true, nodeIntegration: false, spellcheck: false },
  })
  void window.loadURL(`${BUNDLE}index.html`)
  window.once('ready-to-show', () => {
    if (maximized) window.maximize()
    if (fullScreen) window.setFullScreen(true)
    window.show()
  })
  const follow = (): void => window.setBackgroundColor(ground())
  nativeTheme.on('updated', follow)
  window.once('closed', () => nativeTheme.off('updated', follow))
  return { window, keepPlace: contentSize === undefined ? rememberPlace(window, options.state) : () => undefined }
}

/** Brings the window to the front, wherever it is: minimized, hidden or behind others. */
export function bringToFront(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
}

function ground(): string {
  return nativeTheme.shouldUseDarkColors ? GROUND.dark : GROUND.light
}

function workAreas(): Rectangle[] {
  const primary = screen.getPrimaryDisplay()
  const others = screen.getAllDisplays().filter((display) => display.id !== primary.id)
  return [primary, ...others].map((display) => display.workArea)
}

/** Returns what writes the place down now. */
function rememberPlace(window: BrowserWindow, state: WindowStateFile): () => void {
  let resting: NodeJS.Timeout | undefined
  const write = (): void => {
    clearTimeout(resting)
    resting = undefined
    if (window.isDestroyed()) return
    const place = {
      bounds: window.getNormalBounds(),
      maximized: window.isMaximized(),
      fullScreen: window.isFullScreen(),
    }
    void state.change({ window: place })
  }
  const moved = (): void => {
    clearTimeout(resting)
    resting = setTimeout(write, RESTED_MS)
  }
  window.on('resize', moved)
  window.on('move', moved)
  window.on('maximize', moved)
  window.on('unmaximize', moved)
  window.on('enter-full-screen', moved)
  window.on('leave-full-screen', moved)
  window.on('close', write)
  return write
}
