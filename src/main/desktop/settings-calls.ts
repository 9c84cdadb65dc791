import { homedir } from 'node:os'
import type { SettingsView } from '../../shared/bridge.ts'
import { ok, type Result } from '../../shared/result.ts'
import { parseSettingsChange } from '../settings/settings.ts'
import { changeSettings, readSettings } from '../settings/settings-file.ts'
import { parseWorktreePolicy } from '../worktrees/worktree-policy.ts'
import type { CallHandlers } from './ipc.ts'
import { findEditors } from './known-editors.ts'
import type { Parts } from './parts.ts'

/** The settings page: what is set, what could be, and a change that is checked before it is written. */
export function settingsCalls({ paths, system, navigator }: Parts): Pick<CallHandlers, 'settings' | 'settings_change'> {
  const view = async (): Promise<Result<SettingsView>> => {
    const [{ settings, problem }, editorsFound] = await Promise.all([
      readSettings(paths.settings),
      findEditors(process.env),
    ])
    return ok({ settings, editorsFound, homeFolder: homedir(), ...(problem === undefined ? {} : { problem }) })
  }
  return {
    settings: view,
    async settings_change(change) {
      const parsed = parseSettingsChange(change)
      if (!parsed.ok) return parsed
      const { settings } = await readSettings(paths.settings)
      const { worktreePath, worktreeBranch } = parsed.value
      if (worktreePath !== undefined || worktreeBranch !== undefined) {
        const policy = parseWorktreePolicy(paths.home, { ...settings, ...parsed.value })
        if (!policy.ok) return policy
      }
      const changed = await changeSettings(paths.settings, parsed.value)
      if (!changed.ok) return changed
      system.applyTheme(changed.value.theme)
      // An unsound file has been kept aside and replaced: what was said about it holds no more.
      navigator.withdraw('settings')
      return view()
    },
  }
}
