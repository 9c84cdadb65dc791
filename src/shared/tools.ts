import * as z from 'zod/mini'

// The content security policy forbids compiled validators; without this zod tries one and the window reports a violation.
z.config({ jitless: true })

/** Blank counts as empty (design §4), and so does what nobody can see: control and format characters only. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}]/u

const text = z.string().check(z.regex(VISIBLE, { error: 'must not be empty' }))

/** The largest prompt or message taken, in UTF-16 units: one mebibyte of ordinary text. */
const LONGEST_PROMPT = 1_048_576

const promptText = text.check(z.maxLength(LONGEST_PROMPT, { error: 'must be at most 1 MiB long' }))

/** A title is found by reading a log's head and tail, so it must fit into them many times over. */
const LONGEST_TITLE = 4_000

const titleText = text.check(z.maxLength(LONGEST_TITLE, { error: `must be at most ${LONGEST_TITLE} letters long` }))

const modelChoice = z.strictObject({
  provider: text,
  model: text,
  reasoningEffort: z.optional(text),
})

/** Spec §3.1. Unknown fields are refused. */
export const sessionCreateRequest = z.strictObject({
  prompt: promptText,
  title: z.optional(titleText),
  fork: z.optional(z.boolean()),
  worktree: z.optional(z.boolean()),
  preset: z.optional(text),
  model: z.optional(modelChoice),
  cwd: z.optional(text),
})

/** Spec §3.4. The id's own shape is checked by `parseSessionId`, which has the better sentence. */
export const sessionStatusRequest = z.strictObject({
  session_id: z.optional(z.unknown()),
})

/** Spec §3.5. */
export const sessionSendRequest = z.strictObject({
  session_id: z.unknown(),
  message: promptText,
})

/** The window's rename (spec §2.3): no tool. */
export const sessionRenameRequest = z.strictObject({
  title: titleText,
})

export type ModelChoice = z.infer<typeof modelChoice>
export type SessionCreateRequest = z.infer<typeof sessionCreateRequest>

export type SessionKind = 'main' | 'fork' | 'subagent'
export type SessionStatus = 'running' | 'idle' | 'cold' | 'failed' | 'missing'

/** Spec §3.1; `kind: 'main'` is the one extension, for a main made by the host (design §4). */
export interface SessionCreateResult {
  readonly session_id: string
  readonly kind: SessionKind
  readonly accepted: true
  readonly status: 'queued'
  readonly parent_session_id?: string
  readonly root_session_id: string
  readonly cwd: string
  readonly worktree?: string
}

/** Spec §3.4: one nested, folder-shaped tree. Times are ISO 8601 in UTC. */
export interface SessionTreeView {
  readonly session_id: string
  readonly root_session_id: string
  readonly parent_session_id?: string
  readonly kind: SessionKind
  readonly title?: string
  readonly status: SessionStatus
  readonly created_at?: string
  readonly updated_at?: string
  readonly cwd?: string
  readonly worktree?: string
  readonly session_path?: string
  readonly forks: readonly SessionTreeView[]
  readonly subagents: readonly SessionTreeView[]
}

export interface SessionStatusResult {
  readonly tree: SessionTreeView
}

/** Spec §3.5. */
export interface SessionSendResult {
  readonly session_id: string
  readonly accepted: true
  readonly status: 'queued'
}
