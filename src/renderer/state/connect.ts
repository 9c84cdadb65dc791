import type { NavigatorPatch } from '../../shared/navigator-view.ts'
import { treeline } from '../bridge.ts'
import { applyPatch, showFailure, showSnapshot } from './session-store.ts'
import { say } from './toasts.ts'

/** Patches that came before the snapshot: they wait for it. Null once it is there. */
let early: NavigatorPatch[] | null = []

/** Follows the sessions and what goes wrong outside any call. Returns the stop. */
export function connectSessions(): () => void {
  const stops = [
    treeline.navigator.on('patch', (patch) => {
      if (early) early.push(patch)
      else applyPatch(patch)
    }),
    treeline.navigator.on('notice', (error) => {
      say('failed', error.message)
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

/** Asks for everything: once at the start, and again after it failed. */
export async function loadSessions(): Promise<void> {
  const answer = await treeline.navigator.snapshot()
  if (!answer.ok) {
    showFailure(answer.error)
    return
  }
  showSnapshot(answer.value)
  for (const patch of early ?? []) applyPatch(patch)
  early = null
}
