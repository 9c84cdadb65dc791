/* What the window shows of agents and their work: what is live, how sessions ended, what they spent, presets. */

/** An agent's question, with its own choices. */
export interface PermissionAsked {
  readonly id: string
  readonly title: string
  /** What it is about, such as the command or the path. */
  readonly detail?: string
  readonly options: readonly {
    readonly id: string
    readonly label: string
    readonly kind: 'allow' | 'allow_always' | 'reject' | 'other'
  }[]
}

/** What is known of a live agent. `since`: when the turn at hand began, in milliseconds since the epoch. */
export interface LiveState {
  readonly state: 'running' | 'idle' | 'queued'
  readonly requests: readonly PermissionAsked[]
  readonly since?: number
}

/** How a session ended, in Voss's words; `time` is milliseconds since the epoch. */
export interface SessionEnded {
  readonly reason: 'done' | 'max-iter' | 'budget' | 'interrupt' | 'batch-invariant' | 'timeout' | 'killed' | 'error'
  readonly time: number
}

/** Tokens that a session may spend, and what it and everything below it has spent. */
interface Budget {
  readonly limit: number
  readonly spent: number
}

/** The limit that holds for the open session: its own, or the one it draws on. */
export interface BudgetView extends Budget {
  /** Whose it is: the session's own, or its nearest ancestor's that has one. */
  readonly owner: { readonly session_id: string; readonly name: string }
  /** How many sessions below the owner, forks and subagents at all levels, draw on it or were given a part of it. */
  readonly sharers: number
  /** Tokens that are promised to sessions below which have limits of their own. */
  readonly given: number
  /** Attempts to raise it, each refused, the latest first; `time` is milliseconds since the epoch. */
  readonly rejected_raises: readonly { readonly asked: number; readonly time: number }[]
}

/** What a session's log says of the work in it. */
export interface WorkDone {
  readonly ended?: SessionEnded
  /** Used by the session itself; 0 where no agent told. */
  readonly tokens: number
  readonly budget?: Budget
}

/** Work in the open session and below it: folded from whole logs, so it is asked for apart from the details. */
export interface SessionWork extends WorkDone {
  /** Which agent takes the next message; absent if none does, and `no_agent` says why and what to do. */
  readonly agent?: { readonly id: string; readonly label: string }
  readonly no_agent?: string
  /** Absent where no limit holds. */
  readonly budget_view?: BudgetView
  /** What waits in the inbox, in the order it will be taken; each cut to 300 letters. */
  readonly waiting: readonly { readonly id: string; readonly text: string }[]
  /** By session id. Those with logs too long to be read for it are left out. */
  readonly subagents: Readonly<Record<string, WorkDone>>
}

/** The agents a session can be made for. */
export interface PresetsView {
  readonly presets: readonly PresetChoice[]
  /** The one that sessions get which name none. */
  readonly chosen: string | null
  /** What is wrong with presets.json, a sentence each. */
  readonly problems: readonly string[]
  /** Agents on this computer that cannot be used, and why, to be read after the label. */
  readonly unusable?: readonly { readonly id: string; readonly label: string; readonly why: string }[]
}

interface PresetChoice {
  readonly id: string
  readonly label: string
  readonly kind: 'acp' | 'shell'
  /** `found`: its program is on PATH. */
  readonly source: 'file' | 'found' | 'built-in'
  /** `provider/model`, where the preset names one. */
  readonly model?: string
  /** Tokens that each of its sessions may spend, where the preset sets a limit. */
  readonly budget?: number
}
