import type { ToolError } from './tool-error.ts'

/**
 * An expected failure is data: it survives structured clone, IPC and JSON, which lose an Error's name and code.
 * A throw means a bug.
 */
export type Result<Value, Failure = ToolError> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: Failure }

/** Wraps what was asked for. */
export function ok<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value }
}

/** Wraps why it could not be had. */
export function fail<Failure>(error: Failure): { readonly ok: false; readonly error: Failure } {
  return { ok: false, error }
}

/** Ends a switch over a closed union: reaching it is a bug the compiler has already refused. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`)
}
