/** What a title, a prompt or any other text from a log becomes before it stands in one row (field fault F29). */

const BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/gu
/** A control sign, with the rest of a terminal's colour or cursor sequence where there is one. */
const CONTROLS = /\p{Cc}(\[[0-9;?]*[@-~])?/gu
/** Embeddings, overrides and isolates: each would turn the rest of the row. Marks without a scope (LRM, RLM) stay. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/gu
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Z}\u2800]/gu

/** More than any row shows; keeps a pasted megabyte out of the layout. */
const LONGEST_SHOWN = 400
const ESCAPE = 27

/**
 * One line of plain letters: breaks become blanks, control signs and direction overrides go, lone halves of a pair
 * become U+FFFD.
 * @returns `undefined` where nothing visible is left, which counts as no title.
 */
export function cleanTitle(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const line = text
    .replace(BREAKS, ' ')
    .replace(CONTROLS, (sign: string, sequence: string | undefined) =>
      sign.charCodeAt(0) === ESCAPE ? '' : (sequence ?? ''),
    )
    .replace(DIRECTIONS, '')
    .toWellFormed()
    .trim()
  return line.replace(INVISIBLE, '') === '' ? undefined : line
}

/** Cuts to what a row can show, never inside an emoji or a combined letter. Text that is short enough is returned as it is. */
export function cutTitle(line: string, longest = LONGEST_SHOWN): string {
  if (line.length <= longest) return line
  let end = 0
  for (const { index, segment } of new Intl.Segmenter('en').segment(line.slice(0, longest + 64))) {
    if (index + segment.length > longest) break
    end = index + segment.length
  }
  return `${line.slice(0, end)}…`
}

/** What a session without a title is called: its own first prompt, else a short form of its id. */
export function sessionName(session: {
  readonly session_id: string
  readonly title?: string
  readonly prompt?: string
}): string {
  return cleanTitle(session.title) ?? cleanTitle(session.prompt) ?? `Session ${shortId(session.session_id)}`
}

/** The first group of a UUID, or the whole of a short id. */
export function shortId(id: string): string {
  return id.replace(/^session-/, '').split('-')[0] ?? id
}
