import type { AgentStart, PermissionOption } from './agent.ts'
import { jsonWithin, shortened } from './acp-content.ts'
import { fieldsOf, wordOf, type Fields } from './fields.ts'

type Question = Parameters<AgentStart['ask']>[0]

/** ACP's answer to `session/request_permission`. */
export type PermissionOutcome = { outcome: 'cancelled' } | { outcome: 'selected'; optionId: string }

const DETAIL_LETTERS = 2000

/**
 * An agent's question as a person is asked it, with the agent's own choices. Where the preset rejects without asking, the
 * first choice that rejects is taken: the one that rejects only once stands before the one that does so always.
 * @param call what is known of the tool call it is about.
 */
export function questionOf(request: Fields, call: Fields): Question {
  const given = (Array.isArray(request['options']) ? request['options'] : []).map(fieldsOf)
  // One that has no id cannot be answered with.
  const asked = given.filter(({ optionId }) => wordOf(optionId) !== undefined)
  const once = asked.filter(({ kind }) => kind !== 'reject_always')
  const always = asked.filter(({ kind }) => kind === 'reject_always')
  const title = wordOf(call['title']) ?? wordOf(call['name']) ?? wordOf(call['kind']) ?? 'Use a tool'
  const detail = detailOf(call)
  return {
    title: shortened(title, DETAIL_LETTERS),
    ...(detail !== undefined && { detail: shortened(detail, DETAIL_LETTERS) }),
    options: [...once, ...always].map(optionOf),
  }
}

/** The agent is told what was chosen; nothing chosen is its `cancelled`. */
export function outcomeOf(optionId: string | undefined): PermissionOutcome {
  return optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId }
}

function optionOf({ optionId, name, kind }: Fields): PermissionOption {
  return { id: String(optionId), label: wordOf(name) ?? String(optionId), kind: kindOf(kind) }
}

function kindOf(kind: unknown): PermissionOption['kind'] {
  if (kind === 'allow_once') return 'allow'
  if (kind === 'allow_always') return 'allow_always'
  return kind === 'reject_once' || kind === 'reject_always' ? 'reject' : 'other'
}

/** The command or the path, where the tool has one; else all that it was given. */
function detailOf({ rawInput, locations }: Fields): string | undefined {
  const input = fieldsOf(rawInput)
  const { command } = input
  if (typeof command === 'string') return command
  if (Array.isArray(command)) return command.map(String).join(' ')
  const paths = (Array.isArray(locations) ? locations : []).map((place) => wordOf(fieldsOf(place)['path']))
  const path = wordOf(input['file_path']) ?? wordOf(input['filePath']) ?? wordOf(input['path'])
  const named = paths.filter((found) => found !== undefined).join('\n') || path
  if (named !== undefined) return named
  return Object.keys(input).length === 0 ? undefined : jsonWithin(input, DETAIL_LETTERS)
}
