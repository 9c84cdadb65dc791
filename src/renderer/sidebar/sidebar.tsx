import { counted, grouped } from '../ui/numbers.ts'
import { Search, Settings, SquarePen, X } from 'lucide-react'
import { useRef, useState } from 'react'
import { useSessions } from '../state/session-store.ts'
import { useView } from '../state/view-store.ts'
import { isComposing, shortcut } from '../ui/typing.ts'
import { ResizeHandle } from './resize-handle.tsx'
import { SessionList, useSidebarRows } from './session-list.tsx'
import './sidebar.css'

/** Mains and forks by repository, a search over them, and what is wrong with some. */
export function Sidebar() {
  const width = useView((view) => view.sidebarWidth)
  const query = useView((view) => view.query)
  const phase = useSessions((state) => state.phase)
  const { rows, shown, total } = useSidebarRows()
  return (
    <nav className="sidebar" aria-label="Sessions" style={{ width }}>
      <div className="sidebar-head">
        <SearchField />
        <button
          type="button"
          className="icon-button"
          aria-label="New session"
          title={`New session (${shortcut({ mac: '⌘N', other: 'Ctrl N' })})`}
          onClick={() => {
            useView.setState({ dialog: 'new-session' })
          }}
        >
          <SquarePen size={16} />
        </button>
      </div>
      {phase === 'loading' ? <LoadingRows /> : null}
      {phase === 'ready' && rows.length > 0 ? <SessionList rows={rows} /> : null}
      {phase === 'ready' && rows.length === 0 && query.trim() !== '' ? (
        <div className="sidebar-empty">
          <p>No session matches.</p>
          <p className="small">Titles and first prompts of main sessions and forks are searched.</p>
        </div>
      ) : null}
      {phase !== 'loading' && rows.length === 0 && query.trim() === '' ? <div className="session-list" /> : null}
      <Notices />
      <Foot shown={shown} total={total} />
      <ResizeHandle />
    </nav>
  )
}

function SearchField() {
  const query = useView((view) => view.query)
  const field = useRef<HTMLInputElement>(null)
  return (
    <div className="search">
      <Search size={14} aria-hidden />
      <input
        id="search"
        ref={field}
        type="text"
        role="searchbox"
        aria-label="Search sessions"
        placeholder="Search sessions"
        spellCheck={false}
        value={query}
        onChange={(event) => {
          useView.setState({ query: event.currentTarget.value })
        }}
        onKeyDown={(event) => {
          if (isComposing(event)) return
          if (event.key === 'Escape' && query !== '') useView.setState({ query: '' })
          else if (event.key === 'Escape') event.currentTarget.blur()
          else if (event.key === 'ArrowDown')
            document.querySelector<HTMLElement>('.session-tree [tabindex="0"]')?.focus()
          else return
          event.preventDefault()
        }}
      />
      {query === '' ? (
        <kbd aria-hidden>{shortcut({ mac: '⌘F', other: 'Ctrl F' })}</kbd>
      ) : (
        <button
          type="button"
          className="icon-button search-clear"
          aria-label="Clear the search"
          onClick={() => {
            useView.setState({ query: '' })
            field.current?.focus()
          }}
        >
          <X size={13} />
        </button>
      )}
    </div>
  )
}

function Foot({ shown, total }: { readonly shown: number; readonly total: number }) {
  const phase = useSessions((state) => state.phase)
  const complete = useSessions((state) => state.complete)
  const odd = useSessions((state) => state.unreadable.length + state.problems)
  const sessions = counted(total, 'session')
  return (
    <div className="sidebar-foot">
      <p className="sidebar-counts" role="status">
        {phase === 'ready' ? (
          <>
            <span>{shown === total ? sessions : `${grouped(shown)} of ${sessions}`}</span>
            {complete ? null : <span className="quiet"> · reading…</span>}
          </>
        ) : null}
      </p>
      {odd > 0 ? (
        <button
          type="button"
          className="unreadable-count"
          onClick={() => {
            useView.setState({ dialog: 'unreadable' })
          }}
        >
          {grouped(odd)} unreadable
        </button>
      ) : null}
      <button
        type="button"
        className="icon-button sidebar-settings"
        aria-label="Settings"
        title={`Settings (${shortcut({ mac: '⌘,', other: 'Ctrl ,' })})`}
        onClick={() => {
          useView.setState({ dialog: 'settings' })
        }}
      >
        <Settings size={15} />
      </button>
    </div>
  )
}

/** What main says once: that live updates are slower, that git is not there. Each can be put away. */
function Notices() {
  const notices = useSessions((state) => state.notices)
  const [read, setRead] = useState<ReadonlySet<string>>(new Set())
  return notices
    .filter(({ id }) => !read.has(id))
    .map(({ id, message }) => (
      <div key={id} className="notice" role="status">
        <p>{message}</p>
        <button
          type="button"
          className="icon-button notice-dismiss"
          aria-label="Dismiss"
          onClick={() => {
            setRead((before) => new Set(before).add(id))
          }}
        >
          <X size={13} />
        </button>
      </div>
    ))
}

/** Only seen where the first answer takes longer than a glance. */
function LoadingRows() {
  return (
    <div className="session-list loading-rows" aria-busy="true" aria-label="Reading the sessions">
      {LOADING_WIDTHS.map((width, index) => (
        <div key={index} className="loading-row">
          <span style={{ width: `${width}%` }} />
        </div>
      ))}
    </div>
  )
}

const LOADING_WIDTHS = [34, 78, 62, 70, 54, 66, 30, 74, 58, 68]
