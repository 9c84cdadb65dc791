import { create } from 'zustand'
import { recall, remember } from './remembered.ts'
import { useSessions } from './session-store.ts'

/** What the person has open, closed, typed and chosen in the window. */
export interface ViewState {
  /** The session shown at the right: any kind. */
  readonly open: string | null
  /** The sidebar's row that stands for it: itself, or the nearest main or fork above. */
  readonly openRow: string | null
  /** The row that has the sidebar's one tab stop. */
  readonly activeRow: string | null
  /** A row to bring into view as soon as it is there. */
  readonly reveal: string | null
  readonly collapsed: ReadonlySet<string>
  readonly query: string
  readonly sidebarWidth: number
  readonly sidebarShown: boolean
  readonly renaming: { readonly session_id: string; readonly place: 'row' | 'header' } | null
  readonly forking: { readonly session_id: string; readonly worktree: boolean } | null
  readonly dialog: 'settings' | 'unreadable' | 'new-session' | null
}

export const SIDEBAR = { narrowest: 240, widest: 420, usual: 300 } as const

const isString = (value: unknown): value is string => typeof value === 'string'
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'
const isWidth = (value: unknown): value is number =>
  typeof value === 'number' && value >= SIDEBAR.narrowest && value <= SIDEBAR.widest
const isStrings = (value: unknown): value is string[] => Array.isArray(value) && value.every(isString)

export const useView = create<ViewState>()(() => ({
  open: recall('open', isString, '') || null,
  openRow: null,
  activeRow: null,
  reveal: null,
  collapsed: new Set(recall('collapsed', isStrings, [])),
  query: '',
  sidebarWidth: recall('sidebar-width', isWidth, SIDEBAR.usual),
  sidebarShown: recall('sidebar-shown', isBoolean, true),
  renaming: null,
  forking: null,
  dialog: null,
}))

/** Shows a session. Its row, or the row it belongs to, becomes the sidebar's current one. */
export function openSession(session_id: string): void {
  const hasRow = useSessions.getState().sessions.has(session_id)
  useView.setState((state) => ({
    open: session_id,
    openRow: hasRow ? session_id : state.openRow,
    activeRow: hasRow ? session_id : state.activeRow,
    renaming: null,
  }))
  remember('open', session_id)
}

/** Shows a session and brings its row into view, under its opened main; for a fork just made, as soon as it is there. */
export function openAndReveal(session_id: string, main?: string): void {
  if (main !== undefined) setExpanded(main, true)
  openSession(session_id)
  useView.setState({ reveal: session_id, query: '' })
}

/** Closes the settings, the list of the unreadable or the dialog for a new session. */
export function closeDialog(): void {
  useView.setState({ dialog: null })
}

/** Closes the fork dialog; what was typed in it stays for the next time. */
export function closeForkDialog(): void {
  useView.setState({ forking: null })
}

/** Says which row stands for the open session; asked of its breadcrumb once that is known. */
export function showOpenRow(session_id: string): void {
  useView.setState({ openRow: session_id })
}

/** Opens or closes a main's forks, and remembers it. */
export function setExpanded(main: string, expanded: boolean): void {
  const collapsed = new Set(useView.getState().collapsed)
  if (expanded ? !collapsed.delete(main) : collapsed.has(main)) return
  if (!expanded) collapsed.add(main)
  useView.setState({ collapsed })
  remember('collapsed', [...collapsed])
}

/** Sets the sidebar's width within its limits, and remembers it. */
export function setSidebarWidth(width: number): void {
  const sidebarWidth = Math.round(Math.min(SIDEBAR.widest, Math.max(SIDEBAR.narrowest, width)))
  useView.setState({ sidebarWidth })
  remember('sidebar-width', sidebarWidth)
}

/** Hides or shows the sidebar, and remembers it. */
export function toggleSidebar(): void {
  const sidebarShown = !useView.getState().sidebarShown
  useView.setState({ sidebarShown })
  remember('sidebar-shown', sidebarShown)
}
