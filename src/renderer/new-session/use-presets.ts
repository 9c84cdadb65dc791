import { useEffect, useState } from 'react'
import type { PresetsView } from '../../shared/agent-view.ts'
import { treeline } from '../bridge.ts'

/** The agents there are, asked for once when it is shown; null until they are known. */
export function usePresets(): PresetsView | null {
  const [view, setView] = useState<PresetsView | null>(null)
  useEffect(() => {
    let stopped = false
    void treeline.navigator.presets().then((answer) => {
      if (!stopped && answer.ok) setView(answer.value)
    })
    return () => {
      stopped = true
    }
  }, [])
  return view
}
