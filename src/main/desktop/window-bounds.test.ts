import { describe, expect, it } from 'vitest'
import { SMALLEST, soundPlace, type Rectangle } from './window-bounds.ts'

const left: Rectangle = { x: 0, y: 25, width: 1920, height: 1055 }
const right: Rectangle = { x: 1920, y: 0, width: 2560, height: 1440 }
const rested = { maximized: false, fullScreen: false }

function place(bounds: unknown, screens: readonly Rectangle[] = [left, right]): ReturnType<typeof soundPlace> {
  return soundPlace({ bounds, ...rested }, screens)
}

describe('where the window comes back', () => {
  it('comes back where it was, on either screen', () => {
    expect(place({ x: 100, y: 80, width: 1200, height: 800 })).toEqual({
      x: 100,
      y: 80,
      width: 1200,
      height: 800,
      ...rested,
    })
    expect(place({ x: 2000, y: 10, width: 1200, height: 800 })).toEqual({
      x: 2000,
      y: 10,
      width: 1200,
      height: 800,
      ...rested,
    })
  })

  it('keeps its size on the primary screen when its own is gone', () => {
    expect(place({ x: 2000, y: 10, width: 1200, height: 800 }, [left])).toEqual({ width: 1200, height: 800, ...rested })
  })

  it.each([
    ['a corner far away, larger than any screen', { x: 5000, y: -2000, width: 3840, height: 2160 }],
    ['the title bar above the screen', { x: 100, y: -400, width: 1200, height: 800 }],
    ['the title bar below the screen', { x: 100, y: 1079, width: 1200, height: 800 }],
    ['a sliver of it on the screen', { x: -1190, y: 100, width: 1200, height: 800 }],
  ])('brings back %s', (_name, bounds) => {
    const found = place(bounds, [left])
    expect(found).not.toHaveProperty('x')
    expect(found.width).toBeLessThanOrEqual(left.width)
    expect(found.height).toBeLessThanOrEqual(left.height)
  })

  it('pulls a window that hangs over an edge back whole', () => {
    expect(place({ x: 1500, y: 700, width: 1000, height: 700 }, [left])).toEqual({
      x: 920,
      y: 380,
      width: 1000,
      height: 700,
      ...rested,
    })
  })

  it.each([
    [{ x: 0, y: 0, width: 0, height: 800 }],
    [{ x: 0, y: 0, width: Number.NaN, height: 800 }],
    [{ x: '0', y: 0, width: 900, height: 800 }],
    [{ x: 0.5, y: 0, width: 900, height: 800 }],
    [{ x: 1e9, y: 0, width: 900, height: 800 }],
    [{}],
    [null],
    ['{"x":'],
  ])('opens %j at the default size', (bounds) => {
    expect(place(bounds)).toEqual({ width: 1280, height: 840, ...rested })
  })

  it.each([[undefined], [null], ['x'], [[]], [{ maximized: 'yes', fullScreen: 1 }]])('opens %j at rest', (saved) => {
    expect(soundPlace(saved, [left])).toEqual({ width: 1280, height: 840, ...rested })
  })

  it('remembers full screen and maximized, with the bounds to return to', () => {
    const bounds = { x: 100, y: 80, width: 1200, height: 800 }
    expect(soundPlace({ bounds, fullScreen: true }, [left])).toEqual({ ...bounds, maximized: false, fullScreen: true })
    expect(soundPlace({ bounds, maximized: true }, [left])).toEqual({ ...bounds, maximized: true, fullScreen: false })
  })

  it('fits a small screen and keeps a usable size on a large one', () => {
    expect(place(undefined, [{ x: 0, y: 0, width: 1024, height: 600 }])).toMatchObject({ width: 1024, height: 600 })
    expect(place({ x: 0, y: 30, width: 10, height: 10 }, [left])).toMatchObject(SMALLEST)
    expect(place(undefined, [])).toMatchObject({ width: 1280, height: 840 })
  })
})
