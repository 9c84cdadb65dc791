import type { TreelineBridge } from '../src/shared/bridge.ts'

declare global {
  /** What the preload has put into the page, for code that tests evaluate there. */
  interface Window {
    readonly treeline: TreelineBridge
  }
}
