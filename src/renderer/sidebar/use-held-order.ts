import type { Virtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useMemo, useRef, type RefObject } from 'react'
import { holdOrder } from '../state/session-store.ts'
import { ROW_HEIGHTS, type SidebarRow } from './rows.ts'

interface HeldOrder {
  readonly handlers: {
    readonly onPointerMove: (event: React.PointerEvent) => void
    readonly onPointerLeave: () => void
    readonly onFocus: () => void
    readonly onBlur: (event: React.FocusEvent) => void
  }
  /** Whether the focus was in the list when last looked. */
  readonly hadFocus: () => boolean
}

/**
 * Rows do not move while they are in use: the order is held while the pointer or the focus is in the list, and a row
 * that comes in above the pointer leaves the row under it where it is.
 */
export function useHeldOrder(
  scroller: RefObject<HTMLDivElement | null>,
  rows: readonly SidebarRow[],
  indexes: ReadonlyMap<string, number>,
  virtualizer: Virtualizer<HTMLDivElement, Element>,
): HeldOrder {
  const pointer = useRef<number | null>(null)
  const focus = useRef(false)
  const before = useRef(rows)

  const held = useMemo((): HeldOrder => {
    const update = (): void => {
      holdOrder(pointer.current !== null || focus.current)
    }
    return {
      handlers: {
        onPointerMove: (event) => {
          pointer.current = event.clientY
          update()
        },
        onPointerLeave: () => {
          pointer.current = null
          update()
        },
        onFocus: () => {
          focus.current = true
          update()
        },
        onBlur: (event) => {
          // An element that React moves is blurred with nowhere to go; the list then takes the focus back.
          if (event.relatedTarget === null && document.hasFocus()) return
          focus.current = event.currentTarget.contains(event.relatedTarget)
          update()
        },
      },
      hadFocus: () => focus.current,
    }
  }, [])

  // A click outside leaves no related target either: then the focus has really gone.
  useEffect(() => {
    const release = (event: Event): void => {
      if (event.target instanceof Node && scroller.current?.contains(event.target)) return
      focus.current = false
      holdOrder(pointer.current !== null)
    }
    document.addEventListener('pointerdown', release)
    window.addEventListener('blur', release)
    return () => {
      document.removeEventListener('pointerdown', release)
      window.removeEventListener('blur', release)
    }
  }, [scroller])

  useLayoutEffect(() => {
    const element = scroller.current
    const previous = before.current
    before.current = rows
    if (!element || pointer.current === null || previous === rows) return
    const y = pointer.current - element.getBoundingClientRect().top + element.scrollTop
    const under = rowAt(previous, y)
    if (under === null) return
    const index = indexes.get(under.key)
    if (index === undefined) return
    const now = virtualizer.measurementsCache[index]?.start
    if (now !== undefined && now !== under.start) element.scrollBy({ top: now - under.start })
  }, [rows, indexes, scroller, virtualizer])

  return held
}

function rowAt(rows: readonly SidebarRow[], y: number): { key: string; start: number } | null {
  let start = 0
  for (const row of rows) {
    const end = start + ROW_HEIGHTS[row.type]
    if (y < end) return { key: row.key, start }
    start = end
  }
  return null
}
