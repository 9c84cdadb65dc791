import type { SessionSummary } from '../../shared/navigator-view.ts'
import type { MenuCommand } from '../../shared/bridge.ts'

/** What a chosen item does: tell the window, or act on the session's log or on the clipboard. */
export type MenuAct =
  | { readonly kind: 'command'; readonly command: MenuCommand['command'] }
  | { readonly kind: 'stop' }
  | { readonly kind: 'open_log' }
  | { readonly kind: 'reveal_log' }
  | { readonly kind: 'copy'; readonly what: 'session_id' | 'log_path' | 'cwd' | 'branch' | 'worktree' }

export type SessionMenuItem =
  | { readonly separator: true }
  | {
      readonly separator?: never
      readonly id: string
      readonly label: string
      readonly enabled: boolean
      /** Shown beside the label; the window itself listens for the keys. */
      readonly accelerator?: string
      readonly act?: MenuAct
      readonly submenu?: readonly SessionMenuItem[]
    }

/** What the summary does not say, found out when the menu is asked for. */
export interface MenuFacts {
  /** Why no worktree can be made from the session's folder, as the words in the brackets; absent if one can. */
  readonly noWorktree?: string
  /** The worktree's branch, else the one checked out in the session's folder. */
  readonly branch?: string
  /** A creation runs for this session: another cannot be started (field fault F14). */
  readonly creating: boolean
}

/**
 * The menu of a session's row (ui-contract, "Row menu"), as plain data. What cannot be done is disabled and says why in
 * its label, since only macOS shows tooltips in native menus.
 */
export function sessionMenu(session: SessionSummary, facts: MenuFacts): readonly SessionMenuItem[] {
  const noLog = session.status === 'missing' ? 'the log is missing' : undefined
  const noFork = forkHindrance(session, facts)
  return [
    item('open', 'Open', command('open'), undefined, 'Enter'),
    item('rename', 'Rename…', command('rename'), noLog ?? oddness(session), 'F2'),
    { separator: true },
    item('fork', 'Fork Session…', command('fork'), noFork, 'CmdOrCtrl+Shift+F'),
    item('fork-into-worktree', 'Fork into New Worktree…', command('fork-into-worktree'), noFork ?? facts.noWorktree),
    { separator: true },
    item('open-log', 'Open Log in Editor', { kind: 'open_log' }, noLog, 'CmdOrCtrl+O'),
    item('reveal-log', 'Reveal Log', { kind: 'reveal_log' }, noLog),
    { id: 'copy', label: 'Copy', enabled: true, submenu: copyItems(session, facts) },
    { separator: true },
    item('stop', 'Stop', { kind: 'stop' }, stopHindrance(session)),
  ]
}

function copyItems(session: SessionSummary, facts: MenuFacts): readonly SessionMenuItem[] {
  const noFolder = session.cwd === undefined ? 'none recorded' : undefined
  const noBranch = facts.branch === undefined ? 'none checked out' : undefined
  return [
    item('copy-session-id', 'Session ID', { kind: 'copy', what: 'session_id' }),
    item('copy-log-path', 'Log Path', { kind: 'copy', what: 'log_path' }),
    item('copy-cwd', 'Working Directory', { kind: 'copy', what: 'cwd' }, noFolder),
    item('copy-branch', 'Branch', { kind: 'copy', what: 'branch' }, noBranch),
  ]
}

function item(id: string, label: string, act: MenuAct, hindrance?: string, accelerator?: string): SessionMenuItem {
  return {
    id,
    label: hindrance === undefined ? label : `${label} (${hindrance})`,
    enabled: hindrance === undefined,
    ...(accelerator === undefined ? {} : { accelerator }),
    act,
  }
}

function command(name: MenuCommand['command']): MenuAct {
  return { kind: 'command', command: name }
}

/** Why this session cannot be forked at all: its kind, its log or its folder (field fault F10). */
function forkHindrance(session: SessionSummary, facts: MenuFacts): string | undefined {
  if (session.kind !== 'main') return `a ${session.kind} cannot be forked`
  if (session.status === 'missing') return 'the log is missing'
  return oddness(session) ?? folderHindrance(session) ?? (facts.creating ? 'a fork is being made' : undefined)
}

/** Only what works, or is about to, can be stopped. */
function stopHindrance(session: SessionSummary): string | undefined {
  return session.status === 'running' || session.queued ? undefined : 'nothing runs'
}

function oddness(session: SessionSummary): string | undefined {
  return session.problem === undefined ? undefined : 'the log cannot be trusted'
}

function folderHindrance(session: SessionSummary): string | undefined {
  if (session.warning?.kind === 'worktree_missing') return 'the worktree is missing'
  if (session.warning?.kind === 'folder_missing') return 'the folder is missing'
  return session.cwd === undefined ? 'no folder is recorded' : undefined
}
