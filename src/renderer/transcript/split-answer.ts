/** Markdown takes a frame or two up to here; longer texts are drawn piece by piece, as they come into view. */
const PIECE = 3000

/**
 * Splits markdown between its paragraphs, never inside a fenced block, so that a long answer is several blocks of the
 * transcript. A paragraph that is longer by itself stays whole.
 * @returns the pieces; joined by line breaks they are the text.
 */
export function splitAnswer(text: string, longest = PIECE): readonly string[] {
  if (text.length <= longest) return [text]
  const pieces: string[] = []
  let piece: string[] = []
  let length = 0
  let fence: string | null = null
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/u.exec(line)?.[1]
    if (fence === null) fence = mark ?? null
    else if (mark?.startsWith(fence)) fence = null
    piece.push(line)
    length += line.length + 1
    if (length < longest || fence !== null || line.trim() !== '') continue
    pieces.push(piece.join('\n'))
    piece = []
    length = 0
  }
  if (piece.length > 0) pieces.push(piece.join('\n'))
  return pieces
}
