/** A rectangle in device-independent pixels, as Electron's `Rectangle`. */
export interface Rectangle {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** How a window is opened. Without `x` and `y` the system places it. */
export interface WindowPlace {
  readonly width: number
  readonly height: number
  readonly x?: number
  readonly y?: number
  readonly maximized: boolean
  readonly fullScreen: boolean
}

export const SMALLEST = { width: 640, height: 420 } as const
const DEFAULT_SIZE = { width: 1280, height: 840 } as const
/** A window can be taken hold of where this much of its title bar is on a screen. */
const HANDLE = { width: 120, height: 28 } as const

/**
 * A place for the window from what was saved, which may be anything (field fault F28): a window saved on a screen that
 * is gone comes back on one that is there, whole, at its size where that fits.
 * @param saved `{ bounds, maximized, fullScreen }` as `windowPlace` wrote it, or whatever the file holds
 * @param screens the work areas of the screens that are there, the primary one first
 */
export function soundPlace(saved: unknown, screens: readonly Rectangle[]): WindowPlace {
  const state = isRecord(saved) ? saved : {}
  const flags = { maximized: state['maximized'] === true, fullScreen: state['fullScreen'] === true }
  const bounds = soundRectangle(state['bounds'])
  const primary = screens[0]
  if (primary === undefined) return { ...DEFAULT_SIZE, ...flags }
  if (bounds === undefined) return { ...fitted(DEFAULT_SIZE, primary), ...flags }
  const screen = screens.find((area) => canBeHeld(bounds, area))
  if (screen === undefined) return { ...fitted(bounds, primary), ...flags }
  const size = fitted(bounds, screen)
  return {
    ...size,
    x: clamp(bounds.x, screen.x, screen.x + screen.width - size.width),
    y: clamp(bounds.y, screen.y, screen.y + screen.height - size.height),
    ...flags,
  }
}

function soundRectangle(value: unknown): Rectangle | undefined {
  if (!isRecord(value)) return undefined
  const { x, y, width, height } = value
  if (!isPixel(x) || !isPixel(y) || !isPixel(width) || !isPixel(height)) return undefined
  return width >= 1 && height >= 1 ? { x, y, width, height } : undefined
}

/** Screens lie within 16 bits; larger numbers make some window managers fail. */
function isPixel(value: unknown): value is number {
  return Number.isInteger(value) && Math.abs(Number(value)) <= 32_767
}

function canBeHeld(bounds: Rectangle, area: Rectangle): boolean {
  const right = Math.min(bounds.x + bounds.width, area.x + area.width)
  const left = Math.max(bounds.x, area.x)
  const titleBarIsOn = bounds.y >= area.y && bounds.y + HANDLE.height <= area.y + area.height
  return titleBarIsOn && right - left >= Math.min(HANDLE.width, bounds.width)
}

function fitted(size: { width: number; height: number }, area: Rectangle): { width: number; height: number } {
  return {
    width: Math.min(Math.max(size.width, SMALLEST.width), area.width),
    height: Math.min(Math.max(size.height, SMALLEST.height), area.height),
  }
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, most))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
