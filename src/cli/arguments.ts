import { parseArgs } from 'node:util'
import { assertNever, fail, ok, type Result } from '../shared/result.ts'

/** What was asked for on the command line, before any of it was judged by a tool. */
export type Command =
  | { readonly name: 'help' }
  | { readonly name: 'session create'; readonly request: CreateFields; readonly as?: string; readonly home?: string }
  | { readonly name: 'session status'; readonly session?: string; readonly as?: string; readonly home?: string }
  | {
      readonly name: 'session send'
      readonly session: string
      readonly message: string
      readonly as?: string
      readonly home?: string
    }
  | { readonly name: 'session list'; readonly home?: string }
  | { readonly name: 'import dsh'; readonly folder?: string; readonly dryRun: boolean; readonly home?: string }
  | {
      readonly name: 'session tree'
      readonly root: string
      readonly json: boolean
      readonly out?: string
      readonly home?: string
    }
  | { readonly name: 'check'; readonly home?: string }
  | { readonly name: 'serve'; readonly home?: string }
  | { readonly name: 'mcp' }

/** The fields of `session_create` as they were given; absent ones were not. */
export interface CreateFields {
  readonly prompt: string
  readonly title?: string
  readonly fork?: true
  readonly worktree?: true
  readonly preset?: string
  readonly model?: { readonly provider: string; readonly model: string; readonly reasoningEffort?: string }
  readonly cwd?: string
}

/** A command line that cannot be understood: a sentence, and the option it is about. */
export interface UsageError {
  readonly message: string
  readonly field?: string
}

const OPTIONS = {
  home: { type: 'string' },
  as: { type: 'string' },
  prompt: { type: 'string' },
  title: { type: 'string' },
  fork: { type: 'boolean' },
  worktree: { type: 'boolean' },
  preset: { type: 'string' },
  model: { type: 'string' },
  cwd: { type: 'string' },
  session: { type: 'string' },
  message: { type: 'string' },
  'dry-run': { type: 'boolean' },
  json: { type: 'boolean' },
  out: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

type Option = keyof typeof OPTIONS
type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>>['values']

const NAMES = [
  'session create',
  'session status',
  'session send',
  'session list',
  'session tree',
  'import dsh',
  'check',
  'serve',
  'mcp',
] as const
type Name = (typeof NAMES)[number]

/** Each command's own options, beside `--home` and `--help`. */
const OWN_OPTIONS: Readonly<Record<Name, readonly string[]>> = {
  'session create': ['prompt', 'title', 'fork', 'worktree', 'preset', 'model', 'cwd', 'as'],
  'session status': ['session', 'as'],
  'session send': ['session', 'message', 'as'],
  'session list': [],
  'session tree': ['json', 'out'],
  'import dsh': ['dry-run'],
  check: [],
  serve: [],
  mcp: [],
}

/**
 * Reads the words after `treeline`. Options may stand before or after the command's name. Pure: no file is looked at, and what
 * a tool judges (ids, folders, blank texts) is passed on as it was given.
 */
export function parseCommandLine(words: readonly string[]): Result<Command, UsageError> {
  let parsed: { values: Values; positionals: string[] }
  try {
    parsed = parseArgs({ args: [...words], options: OPTIONS, allowPositionals: true })
  } catch (error) {
    return fail({ message: `${error instanceof Error ? error.message : String(error)}. See treeline --help.` })
  }
  const { values, positionals } = parsed
  if (values.help) return ok({ name: 'help' })
  const found = findCommand(positionals)
  if (!found.ok) return found
  const { name, rest } = found.value
  const common = name === 'mcp' ? [] : ['home']
  const odd = Object.keys(values).find((option) => ![...common, ...OWN_OPTIONS[name]].includes(option))
  if (odd !== undefined) return fail({ message: `${name} does not take --${odd}. See treeline --help.`, field: odd })
  const most = name === 'import dsh' || name === 'session tree' ? 1 : 0
  if (rest.length > most) {
    return fail({ message: `${name} does not take ${JSON.stringify(rest[most])}. See treeline --help.` })
  }
  if (values.home === '') return fail({ message: '--home needs a folder.', field: 'home' })
  return commandOf(name, values, rest[0])
}

function findCommand(
  positionals: readonly string[],
): Result<{ readonly name: Name; readonly rest: readonly string[] }, UsageError> {
  for (const length of [2, 1]) {
    const said = positionals.slice(0, length).join(' ')
    const name = NAMES.find((known) => known === said)
    if (name) return ok({ name, rest: positionals.slice(length) })
  }
  const told =
    positionals.length === 0 ? 'Say what to do' : `There is no command ${JSON.stringify(positionals.join(' '))}`
  return fail({ message: `${told}: there are ${NAMES.join(', ')}. See treeline --help.` })
}

function commandOf(name: Name, values: Values, word: string | undefined): Result<Command, UsageError> {
  const home = values.home === undefined ? {} : { home: values.home }
  const as = values.as === undefined ? {} : { as: values.as }
  switch (name) {
    case 'session create': {
      const request = createFields(values)
      return request.ok ? ok({ name, request: request.value, ...as, ...home }) : request
    }
    case 'session status':
      return ok({ name, ...(values.session !== undefined && { session: values.session }), ...as, ...home })
    case 'session send': {
      const { session, message } = values
      if (session === undefined) return missing(name, 'session')
      if (message === undefined) return missing(name, 'message')
      return ok({ name, session, message, ...as, ...home })
    }
    case 'import dsh':
      return ok({ name, ...(word !== undefined && { folder: word }), dryRun: values['dry-run'] === true, ...home })
    case 'session tree': {
      const { json = false, out } = values
      if (word === undefined) {
        return fail({ message: 'session tree needs the id of a session: session tree ROOT. See treeline --help.' })
      }
      if (out === '') return fail({ message: '--out needs a folder.', field: 'out' })
      return ok({ name, root: word, json, ...(out !== undefined && { out }), ...home })
    }
    case 'session list':
    case 'check':
    case 'serve':
      return ok({ name, ...home })
    case 'mcp':
      return ok({ name })
    default:
      return assertNever(name)
  }
}

function createFields(values: Values): Result<CreateFields, UsageError> {
  const { prompt, title, preset, cwd } = values
  if (prompt === undefined) return missing('session create', 'prompt')
  const model = values.model === undefined ? undefined : parseModel(values.model)
  if (model && !model.ok) return model
  return ok({
    prompt,
    ...(title !== undefined && { title }),
    ...(values.fork && { fork: true as const }),
    ...(values.worktree && { worktree: true as const }),
    ...(preset !== undefined && { preset }),
    ...(model && { model: model.value }),
    ...(cwd !== undefined && { cwd }),
  })
}

/** PROVIDER/MODEL[:EFFORT]. Models of routers have slashes of their own, so the first one is the border. */
function parseModel(text: string): Result<NonNullable<CreateFields['model']>, UsageError> {
  const slash = text.indexOf('/')
  if (slash === -1) {
    return fail({
      message: `--model is PROVIDER/MODEL or PROVIDER/MODEL:EFFORT, not ${JSON.stringify(text)}.`,
      field: 'model',
    })
  }
  const provider = text.slice(0, slash)
  const rest = text.slice(slash + 1)
  const colon = rest.lastIndexOf(':')
  if (colon === -1) return ok({ provider, model: rest })
  return ok({ provider, model: rest.slice(0, colon), reasoningEffort: rest.slice(colon + 1) })
}

function missing(name: string, option: Option): Result<never, UsageError> {
  return fail({ message: `${name} needs --${option}. See treeline --help.`, field: option })
}
