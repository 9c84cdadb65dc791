import * as z from 'zod/mini'
import type { Preset } from './agent.ts'

const text = z.string({ error: 'must be a text' }).check(z.regex(/\S/, { error: 'must not be empty' }))
const count = z.int({ error: 'must be a whole number' }).check(z.positive({ error: 'must be more than 0' }))

const variable = z.string().check(
  z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'has a name that no variable can have' }),
  z.refine((name) => !/^TREELINE_/i.test(name), { error: 'names a variable of Treeline’s own' }),
)

/** One preset as it stands in presets.json. Unknown fields are refused: a mistyped limit must not be no limit. */
const presetSchema = z
  .strictObject({
    id: text.check(
      z.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, { error: 'must be of letters, digits, dots, dashes: at most 64' }),
    ),
    label: text,
    kind: z.enum(['acp', 'shell'], { error: 'must be "acp" or "shell"' }),
    command: z.optional(text),
    args: z.optional(z.array(z.string({ error: 'must be a text' }), { error: 'must be a list of texts' })),
    env: z.optional(z.record(variable, z.string({ error: 'must be a text' }))),
    model: z.optional(z.strictObject({ provider: text, model: text, reasoningEffort: z.optional(text) })),
    budget: z.optional(count),
    scope: z.optional(z.array(text)),
    role: z.optional(text),
    permission: z.optional(
      z.enum(['ask', 'allow_once', 'reject'], { error: 'must be "ask", "allow_once" or "reject"' }),
    ),
    usage: z.optional(z.enum(['prompt', 'session'], { error: 'must be "prompt" or "session"' })),
    timeLimit: z.optional(count),
    stepLimit: z.optional(count),
  })
  .check(
    z.refine(({ kind, command }) => kind === 'shell' || command !== undefined, {
      path: ['command'],
      error: 'is missing: an ACP agent needs the command that starts it',
    }),
    z.refine(({ id, kind }) => id !== 'shell' || kind === 'shell', {
      path: ['kind'],
      error: 'must be "shell" for the preset named shell',
    }),
  )

/** What is wrong with a preset: where in it, and the end of a sentence about it. */
export interface PresetFault {
  readonly path: readonly PropertyKey[]
  readonly what: string
}

/** @returns the preset, or the first thing that is wrong with it. */
export function parsePreset(value: unknown): Preset | PresetFault {
  return isPreset(value) ? value : faultOf(presetSchema.safeParse(value).error?.issues[0])
}

/** What comes from JSON has no undefined members, so what the schema takes is a preset as it stands. */
function isPreset(value: unknown): value is Preset {
  return presetSchema.safeParse(value).success
}

function faultOf(issue: z.core.$ZodIssue | undefined): PresetFault {
  if (!issue) return { path: [], what: 'cannot be used' }
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys
    return { path: [...issue.path, key], what: 'is not a field of a preset' }
  }
  if (issue.code === 'invalid_key') return { path: issue.path, what: issue.issues[0]?.message ?? issue.message }
  return { path: issue.path, what: issue.path.length === 0 ? 'is not an object' : issue.message }
}
