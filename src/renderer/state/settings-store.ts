import { create } from 'zustand'
import type { Settings, SettingsView } from '../../shared/bridge.ts'
import type { ToolError } from '../../shared/tool-error.ts'
import { treeline } from '../bridge.ts'
import { shortPath } from '../ui/paths.ts'
import { say } from './toasts.ts'

/** The settings as main last told them; null until it has. */
export const useSettings = create<{ readonly view: SettingsView | null }>()(() => ({ view: null }))

/** Reads the settings. A file that cannot be read is said in the settings dialog, where it can be acted on. */
export async function loadSettings(): Promise<void> {
  const answer = await treeline.navigator.settings()
  if (answer.ok) useSettings.setState({ view: answer.value })
  else say('failed', answer.error.message)
}

/** Changes settings. @returns why not, for the field it is about; null where it was done. */
export async function changeSettings(change: Partial<Settings>): Promise<ToolError | null> {
  const answer = await treeline.navigator.settings_change(change)
  if (!answer.ok) return answer.error
  useSettings.setState({ view: answer.value })
  return null
}

/** A path with the person's home folder as `~`. */
export function useShortPath(path: string): string {
  return useSettings(({ view }) => shortPath(path, view?.homeFolder ?? ''))
}
