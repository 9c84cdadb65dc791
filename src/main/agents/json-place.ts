/** Finding the line of a value in a JSON text, so that a person can be told where to look. */

/** The line, counted from 1, that the letter at `offset` stands in. */
function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

/** The line that a JSON text ceases to be JSON in, from what the parser says. */
export function lineOfSyntaxError(text: string, error: unknown): number {
  const position = /position (\d+)/.exec(String(error))?.[1]
  return lineAt(text, position === undefined ? text.trimEnd().length : Number(position))
}

/**
 * The line of the value at `path` in a sound JSON text; of the last part of the path that is there, where it is not all there.
 * For a member of an object it is the line of its key.
 */
export function lineOfValue(text: string, path: readonly PropertyKey[]): number {
  let at = 0
  let found = 0

  const skip = (pattern: RegExp): string => {
    pattern.lastIndex = at
    const [matched = ''] = pattern.exec(text) ?? []
    at += matched.length
    return matched
  }
  const blank = () => skip(/\s*/y)
  const string = () => skip(/"(?:[^"\\]|\\.)*"/y)

  /** Goes over one value; `rest` is what is left of the path within it, undefined where it is not on the path. */
  function value(rest: readonly PropertyKey[] | undefined): void {
    blank()
    const opening = text[at]
    if (opening !== '{' && opening !== '[') {
      if (string() === '') skip(/[^,\]}\s]+/y)
      return
    }
    at += 1
    for (let index = 0; ; index++) {
      blank()
      if (text[at] === '}' || text[at] === ']' || at >= text.length) break
      const start = at
      const key: PropertyKey = opening === '[' ? index : keyOf(string())
      if (opening === '{') skip(/\s*:/y)
      const isOnPath = rest !== undefined && rest.length > 0 && rest[0] === key
      if (isOnPath) found = start
      value(isOnPath ? rest.slice(1) : undefined)
      skip(/\s*,/y)
    }
    at += 1
  }

  value(path)
  return lineAt(text, found)
}

function keyOf(literal: string): string {
  const key: unknown = JSON.parse(literal)
  return String(key)
}
