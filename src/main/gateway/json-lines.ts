/** What a stream of newline-delimited JSON brings: a value, or why a line was none. */
export type JsonLine =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'too-long' }

const LINE_FEED = 10

/**
 * Cuts chunks of bytes into lines and parses each. Blank lines are skipped; bytes that are no UTF-8 make a line malformed.
 * @param longest the most bytes a line may have. A longer one is reported once, and everything after it is dropped: the
 * other side does not keep to the rules, and where its next line begins is anybody's guess.
 * @returns what takes the chunks, in order.
 */
export function jsonLines(longest: number, onLine: (line: JsonLine) => void): (chunk: Buffer) => void {
  let pieces: Buffer[] = []
  let held = 0
  let dropped = false
  return (chunk) => {
    let from = 0
    while (!dropped) {
      const end = chunk.indexOf(LINE_FEED, from)
      const piece = chunk.subarray(from, end === -1 ? chunk.length : end)
      if (held + piece.length > longest) {
        dropped = true
        pieces = []
        onLine({ kind: 'too-long' })
        return
      }
      pieces.push(piece)
      held += piece.length
      if (end === -1) return
      const line = parseLine(Buffer.concat(pieces, held))
      pieces = []
      held = 0
      from = end + 1
      if (line) onLine(line)
    }
  }
}

function parseLine(bytes: Buffer): JsonLine | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.trim() === '' ? undefined : { kind: 'value', value: JSON.parse(text) as unknown }
  } catch {
    return { kind: 'malformed' }
  }
}
