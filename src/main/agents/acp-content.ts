import { cutAt } from '../session-tree/own-words.ts'
import type { TurnEnd } from './agent.ts'
import { fieldsOf, wordOf } from './fields.ts'

/*
 * What agents send, read field by field: an agent that is newer than the protocol's schema here, or careless with it, is
 * still understood as far as it can be.
 */

/** The result of a tool keeps so many letters of what it said, first and last. */
const RESULT_LETTERS = 100_000
const DIFF_LETTERS = 50_000
const MOST_DIFFS = 50
const MOST_TODOS = 200
const TODO_LETTERS = 2000
/** DSH's states of a todo, which are ACP's. */
const TODO_STATES = ['pending', 'in_progress', 'completed']

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The first and the last of a text that is too long; what is left out is counted. */
export function shortened(text: string, most = RESULT_LETTERS): string {
  if (text.length <= most) return text
  const half = Math.floor(most / 2)
  const [first, last] = [cutAt(text, half), endOf(text, half)]
  const omitted = text.length - first.length - last.length
  return `${first}\n[… ${omitted.toLocaleString('en')} letters left out …]\n${last}`
}

function endOf(text: string, most: number): string {
  const from = text.length - most
  return text.slice(isHigh(text.charCodeAt(from - 1)) ? from + 1 : from)
}

/** The first unit of a letter of two. */
function isHigh(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800
}

/** JSON of a value; where it is too long, JSON of its beginning, so that it stays JSON. */
export function jsonWithin(value: unknown, most: number): string {
  const json = JSON.stringify(value) ?? 'null'
  return json.length <= most ? json : JSON.stringify({ truncated: cutAt(json, most), letters: json.length })
}

/** A content block in words; what is no text is named. */
export function textOfContent(content: unknown): string {
  const block = fieldsOf(content)
  switch (block['type']) {
    case 'text':
      return typeof block['text'] === 'string' ? block['text'] : ''
    case 'resource_link':
      return `[${wordOf(block['title']) ?? wordOf(block['name']) ?? 'link'}](${wordOf(block['uri']) ?? ''})`
    case 'resource': {
      const resource = fieldsOf(block['resource'])
      return wordOf(resource['text']) ?? `[${wordOf(resource['uri']) ?? 'resource'}]`
    }
    default: {
      // Images and sounds, and what is not known yet.
      const [type, mimeType] = [wordOf(block['type']), wordOf(block['mimeType'])]
      return type === undefined ? '' : `[${type}${mimeType === undefined ? '' : `: ${mimeType}`}]`
    }
  }
}

/** What a tool said, in words: its content, or else its raw output. */
export function toolText(content: unknown, rawOutput: unknown): string {
  const parts = listOf(content).map((item) => {
    const part = fieldsOf(item)
    if (part['type'] === 'content') return textOfContent(part['content'])
    if (part['type'] === 'diff') return `${part['oldText'] == null ? 'Wrote' : 'Changed'} ${String(part['path'])}`
    return part['type'] === 'terminal' ? `[terminal ${String(part['terminalId'])}]` : ''
  })
  const text = parts.filter((part) => part !== '').join('\n')
  if (text !== '') return text
  if (typeof rawOutput === 'string') return rawOutput
  const raw = fieldsOf(rawOutput)
  const said = wordOf(raw['output']) ?? wordOf(raw['error']) ?? wordOf(raw['stdout'])
  return said ?? (rawOutput == null ? '' : jsonWithin(rawOutput, RESULT_LETTERS))
}

/** The diffs of a tool, in the shape that DSH's own edit tool keeps in `meta` (dsh-format §5), within bounds. */
export function diffsOf(content: unknown): readonly { path: string; oldText: string; newText: string }[] {
  return listOf(content)
    .map(fieldsOf)
    .filter((part) => part['type'] === 'diff')
    .slice(0, MOST_DIFFS)
    .map(({ path, oldText, newText }) => ({
      path: String(path),
      oldText: shortened(wordOf(oldText) ?? '', DIFF_LETTERS),
      newText: shortened(wordOf(newText) ?? '', DIFF_LETTERS),
    }))
}

/** A plan as DSH's todo list; undefined where it is none. */
export function todosOf(entries: unknown): readonly { content: string; status: string }[] | undefined {
  if (!Array.isArray(entries)) return undefined
  return entries.slice(0, MOST_TODOS).map((entry) => {
    const { content, status } = fieldsOf(entry)
    return {
      content: shortened(wordOf(content) ?? '', TODO_LETTERS),
      status: TODO_STATES.find((state) => state === status) ?? 'pending',
    }
  })
}

/** How a turn ended, from ACP's stop reason. */
export function turnEndOf(stopReason: unknown): TurnEnd {
  switch (stopReason) {
    case 'end_turn':
      return { kind: 'completed' }
    case 'cancelled':
      return { kind: 'aborted' }
    case 'max_tokens':
      return { kind: 'max-tokens' }
    case 'max_turn_requests':
      return { kind: 'max-steps' }
    case 'refusal':
      return { kind: 'error', message: 'The agent refused to go on with this message.', code: 'agent_refused' }
    default: {
      const message = `The agent ended the turn for a reason that is not known here: ${String(stopReason).slice(0, 100)}.`
      return { kind: 'error', message, code: 'agent_failed' }
    }
  }
}
