import * as z from 'zod/mini'
import { sessionCreateRequest, sessionSendRequest, sessionStatusRequest } from '../../shared/tools.ts'

/** One tool as an agent sees it over MCP. */
interface McpTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: { readonly type: 'object'; readonly [field: string]: unknown }
  readonly annotations: { readonly readOnlyHint: boolean; readonly destructiveHint: boolean }
}

/** What the server tells an agent before it calls anything. */
export const INSTRUCTIONS = `You are one session in a tree of coding-agent sessions. Three tools let you work with it:
session_create starts a child session with a prompt of its own; session_send gives one of your direct children more to do;
session_status shows the tree, with the path of every session's log. A child works by itself: nothing waits for it and it does
not answer you. To learn what it did, look at session_status now and then, and read its log (session_path, plain JSONL) with
ordinary file tools such as rg or jq.`

const SESSION_ID = 'A session id as session_status or session_create gives it, such as session-0198c0de-….'

/**
 * The three tools and nothing else, by the schemas that the tools themselves parse with; what a field is for is said here.
 */
export function mcpTools(): readonly McpTool[] {
  return [
    {
      name: 'session_create',
      title: 'Create a session',
      description:
        'Start a child session that works on a prompt by itself, beside you. Use it to hand over work that can be done ' +
        'apart: a question to research, a part to build, a check to run. By default the child is a subagent: it knows only ' +
        'its prompt, so say everything it needs. With fork: true it knows this conversation up to your last completed ' +
        'step, for trying another way from here; only main sessions can fork. With worktree: true as well, the fork works ' +
        'in a git worktree of its own, so that both can change files at once. Returns at once with the session_id; the ' +
        'child has not finished then. Look with session_status.',
      inputSchema: inputSchema(sessionCreateRequest, {
        prompt: { description: 'What the child is to do: its first message. A subagent knows nothing else.' },
        title: { description: 'A short name for people. Absent: its prompt stands for it.' },
        fork: { description: 'Begin with this conversation up to your last completed step. Main sessions only.' },
        worktree: { description: 'Work in a new git worktree instead of your folder. Only with fork: true.' },
        preset: { description: 'Which agent works on it, by preset name. Absent: the same as yours.' },
        model: { description: 'Which model it uses, where its agent offers a choice. Absent: the agent decides.' },
        cwd: { description: 'The absolute path of the folder it works in. Absent: your folder.' },
      }),
      annotations: { readOnlyHint: false, destructiveHint: false },
    },
    {
      name: 'session_status',
      title: 'Look at the session tree',
      description:
        'Look at your tree of sessions: for each its kind, title, status, folder, worktree, and session_path, the absolute ' +
        'path of its log, which you can read and search as plain JSONL. Status: running (works now), idle (its agent waits ' +
        'for messages), cold (no agent is live; it was done, or has not begun), failed, missing. Without session_id you ' +
        'get the whole tree of your main session; with one, that session (yours, or below it) and all below. It changes ' +
        'nothing and resumes nothing. Do not call it in a tight loop.',
      inputSchema: inputSchema(sessionStatusRequest, {
        session_id: { type: 'string', description: `${SESSION_ID} Yours, or one below it. Absent: your whole tree.` },
      }),
      annotations: { readOnlyHint: true, destructiveHint: false },
    },
    {
      name: 'session_send',
      title: 'Send a message to a child session',
      description:
        'Give one of your direct children another message: a correction, a next task, an answer it needs. It is kept in ' +
        'order behind what the child does now, and taken at its next turn. Returns at once; no answer comes back, so look ' +
        'at its log later. A grandchild cannot be reached: send to the child between, which can pass it on.',
      inputSchema: inputSchema(sessionSendRequest, {
        session_id: { type: 'string', description: `${SESSION_ID} It must be a direct child of yours.` },
        message: { description: 'What to tell it.' },
      }),
      annotations: { readOnlyHint: false, destructiveHint: false },
    },
  ]
}

/**
 * "Has a visible letter" is said as "is not empty": not every agent's language has a regular expression for it, and some refuse
 * the whole tool for one they do not know. The tool itself checks it all the same.
 */
function plain({ jsonSchema }: { readonly jsonSchema: { pattern?: string; minLength?: number } }): void {
  if (jsonSchema.pattern === undefined) return
  delete jsonSchema.pattern
  jsonSchema.minLength = 1
}

/** A request's schema as JSON schema, with the words for each field. */
function inputSchema(
  schema: z.ZodMiniObject,
  words: Readonly<Record<string, { readonly description: string; readonly type?: string }>>,
): McpTool['inputSchema'] {
  const { $schema: _dialect, properties = {}, ...rest } = z.toJSONSchema(schema, { io: 'input', override: plain })
  const described = Object.entries(properties).map(([name, property]) => {
    const shape = typeof property === 'object' ? property : {}
    return [name, { ...shape, ...words[name] }]
  })
  return { ...rest, type: 'object', properties: Object.fromEntries(described) }
}
