import { stat } from 'node:fs/promises'
import { fail, ok, type Result } from '../../shared/result.ts'
import type { SessionId } from '../../shared/session-id.ts'
import { toolError } from '../../shared/tool-error.ts'
import { lookAtCheckout, type Checkout } from '../navigator/checkout.ts'
import { readSettings } from '../settings/settings-file.ts'
import { openInEditor } from './editors.ts'
import type { CallHandlers } from './ipc.ts'
import { linkToOpen } from './links.ts'
import type { Parts } from './parts.ts'
import { sessionMenu, type MenuAct } from './session-menu.ts'

type LogCalls = Pick<CallHandlers, 'show_session_menu' | 'open_log' | 'reveal_log' | 'copy' | 'copy_text' | 'open_link'>
type CopyWhat = Extract<MenuAct, { kind: 'copy' }>['what']

/** A menu must open at once: what a slow disk has not told by then is left to the dialog behind the item. */
const MENU_PATIENCE_MS = 250

/** The row menu and what its items do by themselves: the log in an editor or in its folder, and copying. */
export function logCalls({ paths, tree, home, navigator, creations, system }: Parts): LogCalls {
  const openLog = async (id: SessionId): Promise<Result<null>> => {
    const place = await tree.locate(id)
    if (!place.ok) return place
    const { settings } = await readSettings(paths.settings)
    const opened = await openInEditor(place.value.logPath, settings.editor, process.env)
    return opened.ok ? ok(null) : opened
  }
  const revealLog = async (id: SessionId): Promise<Result<null>> => {
    const place = await tree.locate(id)
    if (!place.ok) return place
    const { logPath } = place.value
    try {
      await stat(logPath)
    } catch {
      return fail(toolError('log_missing', `There is no file at ${logPath} any more.`, { path: logPath }))
    }
    system.reveal(logPath)
    return ok(null)
  }
  const copy = async (id: SessionId, what: CopyWhat): Promise<Result<null>> => {
    const text = await textToCopy(id, what)
    if (!text.ok) return text
    await system.copy(text.value)
    return ok(null)
  }
  const textToCopy = async (id: SessionId, what: CopyWhat): Promise<Result<string>> => {
    const entry = await navigator.look(id)
    if (!entry.ok) return entry
    const { place, facts } = entry.value
    const { cwd, worktree } = facts.header ?? {}
    const texts: Readonly<Record<CopyWhat, string | undefined>> = {
      session_id: id,
      log_path: place.logPath,
      cwd,
      worktree: worktree?.path,
      branch:
        worktree?.branch ?? (what === 'branch' && cwd ? (await lookAtCheckout(cwd, process.env)).branch : undefined),
    }
    const text = texts[what]
    return text === undefined
      ? fail(toolError('invalid_request', `This session has no ${WORDS[what]} to copy.`, { field: 'what' }))
      : ok(text)
  }
  const stop = async (id: SessionId): Promise<Result<null>> => {
    const reached = await home.home()
    if (!reached.ok) return reached
    const { agents } = reached.value
    if (!agents) return ok(null)
    // One that waits for room has no turn yet: it is taken out of the line.
    return agents.status(id)?.state === 'running' ? agents.interrupt(id) : agents.stop(id)
  }
  const act = async (id: SessionId, chosen: MenuAct): Promise<void> => {
    if (chosen.kind === 'command') return system.push('menu_command', { command: chosen.command, session_id: id })
    const done = await (chosen.kind === 'copy'
      ? copy(id, chosen.what)
      : chosen.kind === 'stop'
        ? stop(id)
        : chosen.kind === 'open_log'
          ? openLog(id)
          : revealLog(id))
    if (!done.ok) system.push('notice', done.error)
  }
  return {
    async show_session_menu(id, at) {
      const summary = await navigator.summary(id)
      if (!summary.ok) return summary
      const { cwd, worktree } = summary.value
      const checkout = cwd === undefined ? {} : await soon(lookAtCheckout(cwd, process.env))
      const branch = worktree?.branch ?? checkout.branch
      const facts = {
        creating: creations.runsFor(id),
        ...(branch === undefined ? {} : { branch }),
        ...(checkout.noWorktree === undefined ? {} : { noWorktree: checkout.noWorktree }),
      }
      system.showMenu(sessionMenu(summary.value, facts), at, (chosen) => void act(id, chosen))
      return ok(null)
    },
    open_log: openLog,
    reveal_log: revealLog,
    copy,
    async copy_text(text) {
      await system.copy(text)
      return ok(null)
    },
    async open_link(address) {
      const link = linkToOpen(address)
      if (!link.ok) return link
      await system.openLink(link.value)
      return ok(null)
    },
  }
}

const WORDS: Readonly<Record<CopyWhat, string>> = {
  session_id: 'id',
  log_path: 'log',
  cwd: 'working directory',
  worktree: 'worktree',
  branch: 'branch',
}

async function soon(looking: Promise<Checkout>): Promise<Checkout> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Checkout>((resolve) => {
    timer = setTimeout(() => resolve({}), MENU_PATIENCE_MS)
  })
  const checkout = await Promise.race([looking, late])
  clearTimeout(timer)
  return checkout
}
