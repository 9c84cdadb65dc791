import type * as z from 'zod/mini'
import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'

/**
 * Parses what a caller sent by the schema both sides share. Unknown fields are refused, nothing is converted.
 * @param what the tool's name, for the sentence.
 * @returns the parsed request, else `invalid_request` with the `field` (dotted where nested) that is wrong.
 */
export function parseRequest<Schema extends z.ZodMiniObject>(
  schema: Schema,
  what: string,
  request: unknown,
): Result<z.output<Schema>> {
  const parsed = schema.safeParse(request)
  if (parsed.success) return ok(parsed.data)
  const issue = parsed.error.issues[0]
  if (!issue) return fail(toolError('invalid_request', `The request to ${what} is not valid.`))
  const path = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') {
    const field = [...path, ...issue.keys.slice(0, 1)].join('.')
    const known = path.length === 0 ? ` It takes ${Object.keys(schema.shape).join(', ')}.` : ''
    return fail(toolError('invalid_request', `${what} has no field ${JSON.stringify(field)}.${known}`, { field }))
  }
  if (path.length === 0) {
    const message = `${what} takes an object of fields, not ${nameOf(request)}.`
    return fail(toolError('invalid_request', message))
  }
  const field = path.join('.')
  return fail(toolError('invalid_request', `${field} ${complaint(issue, valueAt(request, path))}.`, { field }))
}

function complaint(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code !== 'invalid_type') return issue.message
  if (value === undefined) return 'is missing'
  return `must be ${EXPECTED[issue.expected] ?? issue.expected}, not ${nameOf(value)}`
}

const EXPECTED: Readonly<Record<string, string>> = { string: 'text', boolean: 'true or false', object: 'an object' }

function valueAt(request: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    request,
  )
}

function nameOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  return typeof value === 'string' ? 'text' : `a ${typeof value}`
}
