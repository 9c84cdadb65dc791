import { setSidebarWidth, SIDEBAR, useView } from '../state/view-store.ts'

const STEP = 10
const BIG_STEP = 50

/** The edge of the sidebar: dragged, or moved with the arrow keys; a double click puts it back. */
export function ResizeHandle() {
  const width = useView((view) => view.sidebarWidth)
  const KEYS: Readonly<Record<string, number>> = {
    ArrowLeft: width - STEP,
    ArrowRight: width + STEP,
    PageDown: width - BIG_STEP,
    PageUp: width + BIG_STEP,
    Home: SIDEBAR.narrowest,
    End: SIDEBAR.widest,
  }
  return (
    <div
      className="resize-handle"
      role="separator"
      tabIndex={0}
      aria-label="Width of the sidebar"
      aria-orientation="vertical"
      aria-valuemin={SIDEBAR.narrowest}
      aria-valuemax={SIDEBAR.widest}
      aria-valuenow={width}
      onDoubleClick={() => {
        setSidebarWidth(SIDEBAR.usual)
      }}
      onPointerDown={(event) => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) setSidebarWidth(event.clientX)
      }}
      onKeyDown={(event) => {
        const next = KEYS[event.key]
        if (next === undefined) return
        event.preventDefault()
        setSidebarWidth(next)
      }}
    />
  )
}
