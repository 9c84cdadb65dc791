/** Reading `event.data`, which is whatever stands in the log: absent or odd fields give nothing, never a throw. */

export type Fields = Readonly<Record<string, unknown>>

const NOTHING: Fields = {}

/** The fields of an object; none where it is something else. */
export function fields(value: unknown): Fields {
  return isFields(value) ? value : NOTHING
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A list's items; none where it is something else. */
export function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A text; '' where it is something else. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** A number; undefined where it is something else. */
export function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** The text blocks of a message's content, joined by blank lines, and how many images stand beside them. */
export function contentText(content: unknown): { readonly text: string; readonly images: number } {
  const texts: string[] = []
  let images = 0
  for (const item of items(content)) {
    const block = fields(item)
    if (block['type'] === 'text') texts.push(text(block['text']))
    else if (block['type'] === 'image') images += 1
  }
  return { text: texts.join('\n\n'), images }
}

/** The fields of a tool call's arguments, which the log keeps as a raw JSON string. */
export function parseArguments(raw: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(raw)
    return isFields(value) ? value : undefined
  } catch {
    // Cut while it was streamed, or cut for its length: shown as it stands.
    return undefined
  }
}

/** Which step of which turn an event belongs to, as a key. */
export function stepOf(data: unknown): string {
  const { turn, step } = fields(data)
  return `${number(turn)}:${number(step)}`
}
