/** What the window remembers between starts. A value that is damaged or of another version counts as absent. */

const PREFIX = 'treeline.'

/** Reads a remembered value; `accept` decides whether it can be used. */
export function recall<Value>(name: string, accept: (value: unknown) => value is Value, fallback: Value): Value {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(PREFIX + name) ?? 'null')
    return accept(value) ? value : fallback
  } catch {
    // Not JSON: written by something else.
    return fallback
  }
}

/** Keeps a value for the next start; a full or forbidden storage costs only the memory. */
export function remember(name: string, value: unknown): void {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value))
  } catch {
    // Storage full: the window works without.
  }
}
