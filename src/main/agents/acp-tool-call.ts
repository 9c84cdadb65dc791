import type { TurnLog } from './agent.ts'
import { diffsOf, jsonWithin, shortened, toolText } from './acp-content.ts'
import { fieldsOf, wordOf, type Fields } from './fields.ts'

/** A tool call as the agent has told of it so far. */
export interface ToolCallSoFar {
  readonly callId: string
  readonly name: string
  /** Everything said of it: later fields stand in the place of earlier ones. */
  said: Fields
  /** It is in the log. */
  isLogged: boolean
  /** What of its output was shown while it ran. */
  shown: string
}

type ToolResult = Parameters<TurnLog['toolResult']>[0]

const ARGUMENTS_LETTERS = 200_000
const PLACES = 50

export function newToolCall(callId: string, first: Fields): ToolCallSoFar {
  return { callId, name: nameOf(first), said: first, isLogged: false, shown: '' }
}

/** Takes an update: what it does not say stays as it was. */
export function merge(call: ToolCallSoFar, update: Fields): void {
  const told = Object.entries(update).filter(([, value]) => value != null)
  call.said = { ...call.said, ...Object.fromEntries(told) }
}

/** True once its input is there, or it is past waiting. Where it will run (OpenCode tells that first) is no input yet. */
export function isReady({ said }: ToolCallSoFar): boolean {
  if (said['status'] !== undefined && said['status'] !== 'pending') return true
  return Object.keys(fieldsOf(said['rawInput'])).some((name) => name !== 'cwd')
}

export function isSettled({ said }: ToolCallSoFar): boolean {
  return said['status'] === 'completed' || said['status'] === 'failed'
}

/** A DSH call's arguments: the agent's raw input, as JSON. */
export function argumentsOf({ said }: ToolCallSoFar): string {
  return jsonWithin(said['rawInput'] ?? {}, ARGUMENTS_LETTERS)
}

/** What a tool has said so far. */
export function outputOf({ said }: ToolCallSoFar): string {
  return toolText(said['content'], said['rawOutput'])
}

/** The result of a call. One that the agent left open is told as such, for nobody knows what it did. */
export function resultOf(call: ToolCallSoFar, isCancelled = false): ToolResult {
  const { callId, said } = call
  const text = shortened(outputOf(call))
  const meta = metaOf(said)
  if (isSettled(call)) {
    const isError = said['status'] === 'failed'
    const words = text === '' ? (isError ? '(failed without a word)' : '(no output)') : text
    return { callId, text: words, isError, ...(isError && { error: { name: 'ToolError', code: 'tool_failed' } }), meta }
  }
  const how = isCancelled
    ? 'The turn was stopped while this ran.'
    : 'The agent ended the turn without saying how this went.'
  const words = text === '' ? how : `${text}\n${how}`
  return { callId, text: words, isError: true, error: { name: 'ToolError', code: 'TOOL_OUTCOME_UNKNOWN' }, meta }
}

function metaOf(said: Fields): unknown {
  const diffs = diffsOf(said['content'])
  const places = Array.isArray(said['locations']) ? said['locations'].slice(0, PLACES) : []
  return {
    title: wordOf(said['title']),
    kind: wordOf(said['kind']),
    ...(places.length > 0 && { locations: places }),
    ...(diffs.length > 0 && { diffs }),
  }
}

/** The tool's own name, where the agent gives one; its title is often a sentence. */
function nameOf(first: Fields): string {
  const title = wordOf(first['title'])
  const named = wordOf(first['name']) ?? wordOf(fieldsOf(fieldsOf(first['_meta'])['claudeCode'])['toolName'])
  if (named !== undefined) return named.slice(0, 200)
  return title !== undefined && /^[\w.:/-]{1,80}$/.test(title) ? title : (wordOf(first['kind']) ?? 'tool')
}
