import type { Home } from '../gateway/home.ts'
import type { LiveTree } from '../navigator/live-tree.ts'
import type { Navigator } from '../navigator/navigator.ts'
import type { HomePaths } from '../session-tree/home-paths.ts'
import type { SessionTree } from '../session-tree/session-tree.ts'
import type { Creations } from './creations.ts'
import type { HomeAccess } from './home-access.ts'
import type { Report } from './own-log.ts'
import type { System } from './system.ts'
import type { WindowStateFile } from './window-state.ts'

/** What the window's calls work with; `live.ts` builds it. */
export interface Parts {
  readonly paths: HomePaths
  /** Looks only; what writes goes through `home`, whoever owns it. */
  readonly tree: SessionTree
  readonly navigator: Navigator
  readonly home: HomeAccess<Home>
  readonly creations: Creations
  readonly state: WindowStateFile
  readonly system: System
  readonly report: Report
  readonly live: Pick<LiveTree, 'watch' | 'refresh'>
  readonly sample: SampleStart
}

export interface SampleStart {
  /** The project's or the app's `resources/sample`. */
  readonly resources: string
  /** Starts another process of this app on a home. */
  open(home: string): void
}
