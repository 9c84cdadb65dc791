import { grouped } from '../ui/numbers.ts'
import { useVirtualizer, defaultRangeExtractor, type Range } from '@tanstack/react-virtual'
import { Folder, FolderGit2, FolderX } from 'lucide-react'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef } from 'react'
import type { SessionGroup } from '../../shared/navigator-view.ts'
import { treeline } from '../bridge.ts'
import { showSessionMenu } from '../state/actions.ts'
import { useSessions } from '../state/session-store.ts'
import { openSession, setExpanded, useView } from '../state/view-store.ts'
import { createTypeAhead, isTypedLetter, treeKey } from '../ui/tree-keys.ts'
import { isComposing, isTyping } from '../ui/typing.ts'
import { sessionName } from '../ui/title.ts'
import { buildRows, orderTree, ROW_HEIGHTS, type SessionRow as Row, type SidebarRow, type SidebarRows } from './rows.ts'
import { SessionRow } from './session-row.tsx'
import { useHeldOrder } from './use-held-order.ts'

/** The rows as they are to be shown now. Rebuilt when rows come, go or move, not when one changes. */
export function useSidebarRows(): SidebarRows {
  const listed = useSessions((state) => state.listed)
  const collapsed = useView((view) => view.collapsed)
  const query = useView((view) => view.query)
  const tree = useMemo(() => orderTree(listed.sessions, listed.activity), [listed])
  return useMemo(() => buildRows(tree, collapsed, query), [tree, collapsed, query])
}

/** Ten thousand rows, some thirty of them in the document; one tab stop, the WAI-ARIA tree's keys. */
export function SessionList({ rows }: { readonly rows: readonly SidebarRow[] }) {
  const scroller = useRef<HTMLDivElement>(null)
  const activeRow = useView((view) => view.activeRow)
  const reveal = useView((view) => view.reveal)
  const indexes = useMemo(() => new Map(rows.map((row, index) => [row.key, index])), [rows])
  const sessionRows = useMemo(() => rows.filter((row): row is Row => row.type === 'session'), [rows])
  const activeIndex = activeRow === null ? undefined : indexes.get(activeRow)

  // oxlint-disable-next-line react/incompatible-library -- the React Compiler, which it would confuse, is not used
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => ROW_HEIGHTS[rows[index]?.type ?? 'session'],
    // Renewed with the rows alone: with it the virtualizer lays out all of them anew.
    getItemKey: useCallback((index: number) => rows[index]?.key ?? index, [rows]),
    overscan: 8,
    paddingEnd: 12,
    scrollPaddingStart: 8,
    scrollPaddingEnd: 8,
    // The row with the focus stays in the document wherever the list is scrolled to, so that the focus is not lost.
    rangeExtractor: useCallback(
      (range: Range) => {
        const shown = defaultRangeExtractor(range)
        if (activeIndex === undefined || shown.includes(activeIndex)) return shown
        return [...shown, activeIndex].toSorted((a, b) => a - b)
      },
      [activeIndex],
    ),
  })

  const held = useHeldOrder(scroller, rows, indexes, virtualizer)
  useOneTabStop(sessionRows, indexes)

  const focusRow = useCallback(
    (id: string) => {
      useView.setState({ activeRow: id })
      const index = indexes.get(id)
      if (index !== undefined) virtualizer.scrollToIndex(index)
      requestAnimationFrame(() => document.getElementById(`row-${id}`)?.focus({ preventScroll: true }))
    },
    [indexes, virtualizer],
  )

  useEffect(() => {
    const index = reveal === null ? undefined : indexes.get(reveal)
    if (index === undefined) return
    virtualizer.scrollToIndex(index)
    useView.setState({ reveal: null, openRow: reveal, activeRow: reveal })
  }, [reveal, indexes, virtualizer])

  // React moves a row's element when rows move, and the browser takes the focus from an element that is moved.
  useLayoutEffect(() => {
    if (held.hadFocus() && activeRow !== null && document.activeElement === document.body)
      document.getElementById(`row-${activeRow}`)?.focus({ preventScroll: true })
  })

  const typeAhead = useRef(createTypeAhead())
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (isComposing(event) || isTyping(event.target)) return
    if (activeRow !== null && (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey))) {
      event.preventDefault()
      const box = document.getElementById(`row-${activeRow}`)?.getBoundingClientRect()
      if (box) void showSessionMenu(activeRow, { x: box.left + 24, y: box.bottom })
      return
    }
    if (event.key === 'F2' && activeRow !== null) {
      event.preventDefault()
      useView.setState({ renaming: { session_id: activeRow, place: 'row' } })
      return
    }
    if (isTypedLetter(event)) {
      const { sessions } = useSessions.getState()
      const names = sessionRows.map((row) => {
        const session = sessions.get(row.key)
        return { id: row.key, name: session ? sessionName(session) : '' }
      })
      const found = typeAhead.current(event.key, event.timeStamp, names, activeRow)
      if (found !== null) focusRow(found)
      return
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const action = treeKey(event.key, sessionRows, activeRow)
    if (!action) return
    event.preventDefault()
    if (action.act === 'focus') focusRow(action.id)
    else if (action.act === 'open') openSession(action.id)
    else setExpanded(action.id, action.act === 'expand')
  }

  const items = virtualizer.getVirtualItems()
  useWatched(items.map((item) => rows[item.index]).filter((row) => row?.type === 'session'))

  return (
    <div className="session-list" ref={scroller} {...held.handlers}>
      <div
        role="tree"
        aria-label="Sessions"
        className="session-tree"
        style={{ height: virtualizer.getTotalSize() }}
        onKeyDown={onKeyDown}
        onFocus={(event) => {
          const id = event.target.id.replace(/^row-/, '')
          if (event.target.role === 'treeitem' && id !== activeRow) useView.setState({ activeRow: id })
        }}
      >
        {items.map(({ index, start, key }) => {
          const row = rows[index]
          switch (row?.type) {
            case 'session':
              return <SessionRow key={key} row={row} top={start} />
            case 'group':
              return <GroupHeader key={key} group={row.group} count={row.count} top={start} />
            case 'forks':
              return (
                <div
                  key={key}
                  className="forks-label"
                  role="presentation"
                  style={{ transform: `translateY(${start}px)` }}
                >
                  Forks
                </div>
              )
            default:
              return null
          }
        })}
      </div>
    </div>
  )
}

const GROUP_ICONS = { repository: FolderGit2, folder: Folder, none: FolderX } as const

function GroupHeader(props: { readonly group: SessionGroup; readonly count: number; readonly top: number }) {
  const Icon = GROUP_ICONS[props.group.kind]
  return (
    <div className="group-row" role="presentation" style={{ transform: `translateY(${props.top}px)` }}>
      <Icon size={14} aria-hidden />
      <bdi className="title group-name" title={props.group.key === '' ? undefined : props.group.key}>
        {props.group.name}
      </bdi>
      <span className="row-time">{grouped(props.count)}</span>
    </div>
  )
}

/** There is always one row that Tab reaches: the active one, else the open one, else the first. */
function useOneTabStop(sessionRows: readonly Row[], indexes: ReadonlyMap<string, number>): void {
  useLayoutEffect(() => {
    const { activeRow, openRow } = useView.getState()
    if (activeRow !== null && indexes.has(activeRow)) return
    const next = openRow !== null && indexes.has(openRow) ? openRow : (sessionRows[0]?.key ?? null)
    if (next !== activeRow) useView.setState({ activeRow: next })
  }, [sessionRows, indexes])
}

/** Long enough not to ask at every step of a scroll, far below the second in which a row on screen is to be right. */
const WATCH_DELAY = 150

/** Tells main which rows are on screen: their changes come first. */
function useWatched(rows: readonly (SidebarRow | undefined)[]): void {
  const open = useView((view) => view.open)
  const visible = rows.map((row) => row?.key).join(' ')
  useEffect(() => {
    const timer = setTimeout(() => {
      void treeline.navigator.watch(visible === '' ? [] : visible.split(' '), open)
    }, WATCH_DELAY)
    return () => {
      clearTimeout(timer)
    }
  }, [visible, open])
}
