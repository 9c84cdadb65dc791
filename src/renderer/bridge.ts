import type { TreelineBridge } from '../shared/bridge.ts'

declare global {
  interface Window {
    readonly treeline: TreelineBridge
  }
}

/** The one way out of the window: the three tools and the navigator, put there by the preload. */
export const treeline = window.treeline
