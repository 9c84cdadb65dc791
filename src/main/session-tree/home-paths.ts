import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** Every place under one DSH home that Treeline uses. Nothing else may build these paths (design §3). */
export interface HomePaths {
  readonly home: string
  /** The session tree: mains, and everything below them. */
  readonly tree: string
  /** Default place of worktrees; the policy in settings may name another. */
  readonly worktrees: string
  /** Treeline's own files. */
  readonly own: string
  readonly lock: string
  readonly pending: string
  readonly catalog: string
  readonly settings: string
  /** How agents are started, as the person wrote it. */
  readonly presets: string
  /** One record for each live agent, so that the next owner ends what a crash left. */
  readonly agents: string
  readonly marks: string
  readonly hostToken: string
  /** Where the owner listens, if the path is not too long for a socket; a folder of its own, 0700. */
  readonly toolSocket: string
  /** What the window remembers between starts: its place, and the offers that were answered. */
  readonly windowState: string
  /** Electron's user data folder: window profile and single-instance lock. */
  readonly profile: string
  readonly ownLog: string
  /** DSH's own logs, which import reads. */
  readonly dshLogs: readonly string[]
}

/** The home in force: what was asked for, else `$DSH_HOME`, else `~/.dsh` (design §3). */
export function resolveHome(asked: string | undefined, environment: NodeJS.ProcessEnv): string {
  const named = asked ?? environment['DSH_HOME']
  return named ? resolve(named) : join(homedir(), '.dsh')
}

/** The places under `home`. Creates nothing. */
export function homePaths(home: string): HomePaths {
  const own = join(home, 'treeline')
  return {
    home,
    tree: join(home, 'session-tree'),
    worktrees: join(home, 'worktrees'),
    own,
    lock: join(own, 'lock'),
    pending: join(own, 'pending'),
    catalog: join(own, 'catalog.db'),
    settings: join(own, 'settings.json'),
    presets: join(own, 'presets.json'),
    agents: join(own, 'agents'),
    marks: join(own, 'marks.json'),
    hostToken: join(own, 'host-token'),
    toolSocket: join(own, 'run', 'tools.sock'),
    windowState: join(own, 'window.json'),
    profile: join(own, 'profile'),
    ownLog: join(own, 'treeline.log'),
    dshLogs: [join(home, 'sessions'), join(home, 'sessions-plain')],
  }
}
