import { tinykeys } from 'tinykeys'
import { askToFork, openLogInEditor } from './state/actions.ts'
import { toggleSidebar, useView } from './state/view-store.ts'
import { isComposing, isTyping } from './ui/typing.ts'

/** The session a shortcut is about: the row with the focus, else the open one. */
function target(): string | null {
  const { activeRow, open } = useView.getState()
  return document.activeElement?.closest('[role="tree"][aria-label="Sessions"]') ? activeRow : open
}

function about(act: (session_id: string) => void): () => void {
  return () => {
    const session_id = target()
    if (session_id !== null) act(session_id)
  }
}

/** Quiet while letters are typed or a dialog is open (field fault F29). */
function quiet(act: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.defaultPrevented || isComposing(event) || isTyping(event.target)) return
    if (document.querySelector('.dialog') !== null) return
    event.preventDefault()
    act()
  }
}

/** The window's shortcuts. Returns the stop. */
export function listenToShortcuts(): () => void {
  return tinykeys(
    window,
    {
      '$mod+KeyB': quiet(toggleSidebar),
      '$mod+KeyF': quiet(() => {
        if (!useView.getState().sidebarShown) toggleSidebar()
        requestAnimationFrame(() => document.getElementById('search')?.focus())
      }),
      '$mod+KeyN': quiet(() => {
        useView.setState({ dialog: 'new-session' })
      }),
      '$mod+KeyO': quiet(about((session_id) => void openLogInEditor(session_id))),
      '$mod+Shift+KeyF': quiet(
        about((session_id) => {
          askToFork(session_id, false)
        }),
      ),
      '$mod+Comma': quiet(() => {
        useView.setState({ dialog: 'settings' })
      }),
      F2: quiet(() => {
        const { open } = useView.getState()
        if (open !== null) useView.setState({ renaming: { session_id: open, place: 'header' } })
      }),
    },
    { ignore: () => false },
  )
}
