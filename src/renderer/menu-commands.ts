import { assertNever } from '../shared/result.ts'
import { treeline } from './bridge.ts'
import { askToFork } from './state/actions.ts'
import { useSessions } from './state/session-store.ts'
import { openSession, useView } from './state/view-store.ts'

/** Does what a row's native menu asks of the window. Returns the stop. */
export function listenToMenu(): () => void {
  return treeline.navigator.on('menu_command', ({ command, session_id }) => {
    switch (command) {
      case 'open':
        openSession(session_id)
        return
      case 'rename': {
        const hasRow = useView.getState().sidebarShown && useSessions.getState().sessions.has(session_id)
        if (!hasRow) openSession(session_id)
        useView.setState({ renaming: { session_id, place: hasRow ? 'row' : 'header' } })
        return
      }
      case 'fork':
        askToFork(session_id, false)
        return
      case 'fork-into-worktree':
        askToFork(session_id, true)
        return
      default:
        assertNever(command)
    }
  })
}
