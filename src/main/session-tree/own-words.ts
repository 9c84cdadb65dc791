import { asRecord } from './event.ts'

/** The longest first prompt that is kept, in UTF-16 units. */
const LONGEST_PROMPT = 500

/** The text of a message that a person wrote (`source.kind` "user"), cut; undefined for injected context and the like. */
export function promptText(message: unknown): string | undefined {
  const record = asRecord(message)
  const content = record?.['content']
  if (!record || asRecord(record['source'])?.['kind'] !== 'user' || !Array.isArray(content)) return undefined
  const texts: string[] = []
  for (const block of content) {
    const text = asRecord(block)?.['text']
    if (typeof text === 'string') texts.push(text)
  }
  const whole = texts.join('\n').trim()
  return whole === '' ? undefined : cutAt(whole, LONGEST_PROMPT)
}

/** The title in a `session/title` event's data; undefined if it is blank or no text. */
export function titleText(data: unknown): string | undefined {
  const title = asRecord(data)?.['title']
  return typeof title === 'string' && title.trim() !== '' ? title : undefined
}

/** Cuts without splitting a surrogate pair. */
export function cutAt(text: string, units: number): string {
  if (text.length <= units) return text
  const last = text.charCodeAt(units - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? units - 1 : units)
}
