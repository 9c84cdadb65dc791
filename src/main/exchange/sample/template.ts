import type { SessionKind } from '../../../shared/tools.ts'

/**
 * A sample session as a person wrote it: `resources/sample/sessions/*.md`. The format is told in `resources/sample/README.md`. The files
 * are ours and ship with the app, so one that cannot be read is a bug and throws, naming file and line.
 */
export interface SampleTemplate {
  /** The file's name without number and ending: how other templates name this session. */
  readonly key: string
  readonly kind: SessionKind
  readonly parent?: string
  readonly title?: string
  /** Who gave the title: the person, or the model after the first prompt. */
  readonly titledBy: 'user' | 'provider'
  /** The repository or folder it works in. */
  readonly project: string
  /** How long ago its last event was, in ms; absent for a subagent that ended when its parent was answered. */
  readonly ended?: number
  readonly model: string
  /** Forks: the last turn, and step in it, that is copied. */
  readonly after?: { readonly turn: number; readonly step?: number }
  /** Forks: an own worktree; `removed`: it was one, and is gone. */
  readonly worktree?: 'kept' | 'removed'
  readonly blocks: readonly SampleBlock[]
}

export type SampleBlock =
  | { readonly kind: 'you'; readonly text: string; readonly pause: number }
  | { readonly kind: 'thinks' | 'says'; readonly text: string }
  | { readonly kind: 'call'; readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> }
  | { readonly kind: 'result'; readonly text: string; readonly failed: boolean; readonly took: number }
  | { readonly kind: 'todo'; readonly todos: readonly SampleTodo[] }
  /** How the last turn ends, if not well. */
  | { readonly kind: 'failed'; readonly message: string; readonly code: string; readonly status: number }
  | { readonly kind: 'stopped' }
  /** The log ends here, in the middle of the turn. */
  | { readonly kind: 'open' }
  /** A prompt that nobody has taken yet. */
  | { readonly kind: 'waits'; readonly text: string; readonly pause: number }

export interface SampleTodo {
  readonly content: string
  readonly status: 'pending' | 'in_progress' | 'completed'
}

const DEFAULT_MODEL = 'deepseek-v4'
const MARK = '::: '
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const TODO_MARKS: Readonly<Record<string, SampleTodo['status']>> = {
  ' ': 'pending',
  '~': 'in_progress',
  x: 'completed',
}

/** Reads one template. `name` is the file's name, as errors tell it. */
export function parseTemplate(name: string, text: string): SampleTemplate {
  const lines = text.split('\n')
  const bodyAt = lines.findIndex((line) => line.startsWith(MARK))
  const head = parseHead(name, lines.slice(0, bodyAt === -1 ? lines.length : bodyAt))
  const blocks: SampleBlock[] = []
  for (let at = bodyAt; at !== -1 && at < lines.length;) {
    const next = lines.findIndex((line, index) => index > at && line.startsWith(MARK))
    const end = next === -1 ? lines.length : next
    const body = lines
      .slice(at + 1, end)
      .join('\n')
      .trim()
    blocks.push(parseBlock(`${name}:${at + 1}`, (lines[at] ?? '').slice(MARK.length).trim(), body))
    at = next
  }
  return { key: name.replace(/^\d+-/, '').replace(/\.md$/, ''), ...head, blocks }
}

/** `4m`, `1.5s`, `200ms`, `3h`, `2d` in milliseconds. */
export function parseDuration(where: string, text: string): number {
  const [, count, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? []
  const size = UNITS[unit ?? '']
  if (size === undefined) throw new Error(`${where}: "${text}" is no duration such as 4m`)
  return Math.round(Number(count) * size)
}

function parseHead(name: string, lines: readonly string[]): Omit<SampleTemplate, 'key' | 'blocks'> {
  const fields = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon > 0) fields.set(line.slice(0, colon).trim(), line.slice(colon + 1).trim())
  }
  const must = (field: string): string => {
    const value = fields.get(field)
    if (value === undefined) throw new Error(`${name}: the field "${field}" is missing`)
    return value
  }
  const kind = must('kind')
  if (kind !== 'main' && kind !== 'fork' && kind !== 'subagent') throw new Error(`${name}: "${kind}" is no kind`)
  const [title, parent, worktree] = [fields.get('title'), fields.get('parent'), fields.get('worktree')]
  const [, turn, step] = /^turn (\d+)(?: step (\d+))?$/.exec(fields.get('after') ?? '') ?? []
  return {
    kind,
    ...(parent === undefined ? {} : { parent }),
    ...(title === undefined ? {} : { title }),
    titledBy: fields.get('titled by') === 'user' ? 'user' : 'provider',
    project: must('project'),
    ...(kind === 'subagent' && !fields.has('ended') ? {} : { ended: parseDuration(name, must('ended')) }),
    model: fields.get('model') ?? DEFAULT_MODEL,
    ...(turn === undefined
      ? {}
      : { after: { turn: Number(turn), ...(step === undefined ? {} : { step: Number(step) }) } }),
    ...(worktree === 'kept' || worktree === 'removed' ? { worktree } : {}),
  }
}

function parseBlock(where: string, mark: string, body: string): SampleBlock {
  const [word = '', ...rest] = mark.split(' ')
  switch (word) {
    case 'you':
    case 'waits':
      return {
        kind: word,
        text: body,
        pause: rest[0] === undefined ? 0 : parseDuration(where, rest[0].replace('+', '')),
      }
    case 'thinks':
    case 'says':
      return { kind: word, text: body }
    case 'call':
      return { kind: 'call', tool: rest[0] ?? '', arguments: parseArguments(where, body) }
    case 'result': {
      const failed = rest[0] === 'failed'
      const took = rest.at(failed ? 1 : 0)
      return { kind: 'result', text: body, failed, took: took === undefined ? 90 : parseDuration(where, took) }
    }
    case 'todo':
      return { kind: 'todo', todos: body.split('\n').map((line) => parseTodo(where, line)) }
    case 'failed':
      return { kind: 'failed', message: body, code: rest[0] ?? 'SERVER', status: Number(rest[1] ?? 500) }
    case 'stopped':
    case 'open':
      return { kind: word }
    default:
      throw new Error(`${where}: there is no block "${word}"`)
  }
}

function parseArguments(where: string, body: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(body)
  if (typeof value !== 'object' || value === null) throw new Error(`${where}: a call's arguments are a JSON object`)
  return { ...value }
}

function parseTodo(where: string, line: string): SampleTodo {
  const [, mark, content] = /^- \[([ ~x])\] (.+)$/.exec(line) ?? []
  const status = TODO_MARKS[mark ?? '']
  if (status === undefined || content === undefined)
    throw new Error(`${where}: "${line}" is no item such as "- [x] Done"`)
  return { content, status }
}
