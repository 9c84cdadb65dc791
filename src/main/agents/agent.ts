import type { Result } from '../../shared/result.ts'
import type { SessionId } from '../../shared/session-id.ts'
import type { ToolError } from '../../shared/tool-error.ts'
import type { ModelChoice } from '../../shared/tools.ts'

/**
 * What any agent is (design §7): a live process that works on one session. The agent host alone talks to it: the host
 * claims a prompt, opens the turn in the log, hands both over, and closes the turn with what comes back.
 */
export interface Agent {
  /**
   * Runs one turn to its end, however it ends. An agent's failure is a {@link TurnEnd}, never a rejection.
   * @param signal aborted when the turn is to stop: the agent is asked to cancel, and answers `aborted` once it has.
   */
  prompt(prompt: TurnPrompt, log: TurnLog, signal: AbortSignal): Promise<TurnEnd>
  /** Resolves when the process is gone, asked for or not, with its last words. */
  readonly ended: Promise<AgentExit>
  /** Asks the process to end, then ends its whole group after 5 s. Resolves when it is gone. */
  stop(): Promise<void>
  /** True while something it started goes on between turns: then it is not ended for being idle. */
  readonly keepsRunning?: () => boolean
}

/** Starts an agent. What keeps it from starting is a failure in words, never a rejection. */
export type StartAgent = (start: AgentStart) => Promise<Result<Agent>>

export interface TurnPrompt {
  /** The inbox message's id, so that the log's `user/message` can carry it. */
  readonly messageId: string
  readonly text: string
}

/** DSH's reasons of a `turn/end` (dsh-format §5) that an agent can give. */
export type TurnEnd =
  | { readonly kind: 'completed' }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'max-tokens' }
  | { readonly kind: 'max-steps' }
  | { readonly kind: 'error'; readonly message: string; readonly code: string }

export interface AgentExit {
  readonly code: number | null
  readonly signal: string | null
  /** The end of what it wrote to standard error, at most 2,000 letters, secrets masked. */
  readonly lastWords: string
}

/** What an agent reports in a turn, written to the session's log as DSH events, in order, batched and fsynced by the host. */
export interface TurnLog {
  readonly turn: number
  /**
   * Opens the next step: `step/start`. Step 1 is open already, with the person's message in it, so the first call changes
   * nothing; later ones close the open step. A step in which nothing was reported is gone on with.
   */
  startStep(): void
  /** Closes the open step: `step/end`. The host closes what is left open at the turn's end. */
  endStep(): void
  /** A piece of streaming text, shown while it comes: `assistant/chunk`. */
  chunk(chunk: unknown): void
  /** `assistant/message` with DSH content blocks (text, reasoning, tool-call). */
  assistantMessage(message: {
    readonly content: readonly unknown[]
    readonly usage?: TokenUsage
    readonly interrupted?: boolean
    readonly provider?: string
    readonly model?: string
  }): void
  toolCall(call: { readonly callId: string; readonly name: string; readonly arguments: string }): void
  toolResult(result: {
    readonly callId: string
    readonly text: string
    readonly isError: boolean
    readonly error?: { readonly name: string; readonly code: string }
    readonly meta?: unknown
  }): void
  /** A whole todo list: `todo/write`. */
  todos(todos: readonly { readonly content: string; readonly status: string }[]): void
  /** What DSH has no event for: written with `ignorable: true`, and `turn` and `step` beside an object's own fields. */
  note(type: `session-tree/${string}`, data: unknown): void
  /** Resolves once everything reported so far is on disk, with the failure if the log could not be written. */
  flushed(): Promise<ToolError | undefined>
}

export interface TokenUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens?: number
  readonly cacheWriteTokens?: number
  readonly reasoningTokens?: number
}

/** An agent's question to a person: it waits, and the session "needs you". */
export interface PermissionRequest {
  readonly id: string
  readonly sessionId: SessionId
  readonly title: string
  /** What it is about, such as the command or the path. */
  readonly detail?: string
  readonly options: readonly PermissionOption[]
}

export interface PermissionOption {
  readonly id: string
  readonly label: string
  readonly kind: 'allow' | 'allow_always' | 'reject' | 'other'
}

/** What an agent is started with. */
export interface AgentStart {
  readonly sessionId: SessionId
  readonly cwd: string
  readonly preset: Preset
  readonly model?: ModelChoice
  /** What its process gets, the mark it is known by after a crash included. The gateway's variables and `preset.env` go on top. */
  readonly environment: NodeJS.ProcessEnv
  readonly gateway: AgentGateway
  /**
   * To be told of each process the agent starts, at once: its pid, which leads a process group (`detached: true`). It is
   * kept on record, so that the next owner of the home ends what a crash left.
   */
  readonly onProcess: (pid: number) => void
  /** The agent's own id of this session, if it had one before (`session-tree/agent`). */
  readonly agentSession?: string
  /** What the agent told of its tokens last (`session-tree/acp-usage`), in this session or the one it was forked from. */
  readonly usageBefore?: unknown
  /** For a fork, or a session the agent does not know: earlier turns as text, and the log's path. */
  readonly history?: { readonly text: string; readonly logPath: string; readonly parentAgentSession?: string }
  /** Asks a person; resolves with the chosen option's id, or undefined when it was cancelled. */
  readonly ask: (
    request: Omit<PermissionRequest, 'id' | 'sessionId'>,
    signal: AbortSignal,
  ) => Promise<string | undefined>
  /** Told once the agent has given its own id for the session. */
  readonly onAgentSession: (id: string) => void
}

/** Where an agent reaches the three tools: the socket and its own token, and how its MCP bridge is started. Never logged. */
export interface AgentGateway {
  readonly socket: string
  readonly token: string
  readonly bridge: {
    readonly command: string
    readonly args: readonly string[]
    readonly env: Readonly<Record<string, string>>
  }
  /** A folder that holds the `treeline` command, put first on the agent's PATH. */
  readonly binFolder: string
}

/** How to start an agent (design §7). Budget is tokens; times are milliseconds. */
export interface Preset {
  readonly id: string
  readonly label: string
  readonly kind: 'acp' | 'shell'
  readonly command?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly model?: ModelChoice
  readonly budget?: number
  readonly scope?: readonly string[]
  readonly role?: string
  readonly permission?: 'ask' | 'allow_once' | 'reject'
  /** What an ACP agent's token counts cover: the `prompt` they come with (the default), or the `session` so far. */
  readonly usage?: 'prompt' | 'session'
  readonly timeLimit?: number
  readonly stepLimit?: number
}

/** What the tools and the window may ask of the host of live agents. */
export interface AgentHost {
  /** There is work in this session's inbox: start or continue its agent, in order, when there is room. */
  wake(id: SessionId): void
  /** What is known of a live agent; absent when there is none. */
  status(id: SessionId): LiveStatus | undefined
  /** Why the message that waits first is not taken: no preset was chosen, it is unknown, the agent did not start … */
  trouble(id: SessionId): ToolError | undefined
  /** Takes a waiting message out of the inbox: `invalid_request` if it no longer waits. */
  withdraw(id: SessionId, messageId: string): Promise<Result<void>>
  /** Ends the running turn; the agent stays. */
  interrupt(id: SessionId): Promise<void>
  /** Ends the agent of a session. */
  stop(id: SessionId): Promise<void>
  /** Answers a permission request with an option's id; false if it is no longer asked. */
  answer(id: SessionId, requestId: string, optionId: string): boolean
  /** Told of every change of a live status. Returns the unsubscribe. */
  onChange(listener: (id: SessionId) => void): () => void
  /** Ends all agents whole; nothing starts after it. */
  close(): Promise<void>
}

export interface LiveStatus {
  readonly state: 'running' | 'idle' | 'queued'
  readonly requests: readonly PermissionRequest[]
  /** When the turn at hand began, in milliseconds since the epoch. */
  readonly since?: number
}
