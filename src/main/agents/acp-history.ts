import type { AgentStart } from './agent.ts'

/** So much of what was said before goes into the first prompt (issue: at most 100 KB). */
const MOST_BYTES = 100 * 1024

/**
 * What an agent that does not know the session is told of it before its first prompt: the last of what was said, and where
 * all of it stands.
 * @returns the text, and how many bytes of history are in it.
 */
export function introduction({ text, logPath }: NonNullable<AgentStart['history']>): { text: string; bytes: number } {
  const said = lastBytes(text, MOST_BYTES)
  const isCut = said.length < text.length
  const lines = [
    'You take up a conversation that was led before, maybe by another agent. ' +
      (isCut ? 'Its last part follows' : 'It follows') +
      `; the whole log, one JSON event per line, is ${logPath}.`,
    '<conversation>',
    said,
    '</conversation>',
    'What comes next is the message to answer now.',
  ]
  return { text: lines.join('\n'), bytes: Buffer.byteLength(said) }
}

/** The end of a text, at most so many bytes of UTF-8, not begun inside a letter. */
function lastBytes(text: string, most: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= most) return text
  let from = bytes.length - most
  // Bytes of the form 10xxxxxx go on with a letter.
  while (((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1
  return bytes.subarray(from).toString()
}
