/** The keyboard of the WAI-ARIA tree pattern, as a function: both trees, the sidebar's and the subagents', use it. */

export interface TreeKeyRow {
  readonly key: string
  readonly level: number
  readonly expandable: boolean
  readonly expanded: boolean
}

export type TreeKeyAction =
  | { readonly act: 'focus'; readonly id: string }
  | { readonly act: 'expand' | 'collapse' | 'open'; readonly id: string }

/**
 * What a key does in a tree.
 * @param rows the rows that can have the focus, in the order shown
 * @param active the row that has it
 * @returns `null` where the key means nothing here and must go on.
 */
export function treeKey(key: string, rows: readonly TreeKeyRow[], active: string | null): TreeKeyAction | null {
  const found = rows.findIndex((row) => row.key === active)
  const index = found === -1 ? 0 : found
  const row = rows[index]
  if (row === undefined) return null
  const focus = (target: TreeKeyRow | undefined): TreeKeyAction | null =>
    target === undefined ? null : { act: 'focus', id: target.key }

  switch (key) {
    case 'ArrowDown':
      return focus(rows[index + 1])
    case 'ArrowUp':
      return focus(rows[index - 1])
    case 'Home':
      return focus(rows[0])
    case 'End':
      return focus(rows.at(-1))
    case 'ArrowRight':
      if (!row.expandable) return null
      return row.expanded ? focus(rows[index + 1]) : { act: 'expand', id: row.key }
    case 'ArrowLeft':
      if (row.expandable && row.expanded) return { act: 'collapse', id: row.key }
      return focus(rows.slice(0, index).findLast((other) => other.level < row.level))
    case 'Enter':
    case ' ':
      return { act: 'open', id: row.key }
    default:
      return null
  }
}

/** How long a pause between letters may be before they start a new word. */
const PAUSE = 600

/**
 * Collects typed letters into a prefix and finds the next row that begins with it. The same letter again and again
 * steps through the rows that begin with it.
 */
export function createTypeAhead(): (
  letter: string,
  time: number,
  names: readonly { readonly id: string; readonly name: string }[],
  active: string | null,
) => string | null {
  let typed = ''
  let last = Number.NEGATIVE_INFINITY
  return (letter, time, names, active) => {
    typed = time - last > PAUSE ? letter : typed + letter
    last = time
    const word = typed.toLocaleLowerCase()
    const first = String.fromCodePoint(word.codePointAt(0) ?? 0)
    const prefix = word.replaceAll(first, '') === '' ? first : word
    const from = names.findIndex(({ id }) => id === active)
    const start = prefix === first ? from + 1 : Math.max(from, 0)
    for (let step = 0; step < names.length; step += 1) {
      const candidate = names[(start + step) % names.length]
      if (candidate?.name.toLocaleLowerCase().startsWith(prefix)) return candidate.id
    }
    return null
  }
}

/** Whether a key press is a letter meant for type-ahead. */
export function isTypedLetter(event: {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
}): boolean {
  return !event.ctrlKey && !event.metaKey && !event.altKey && /^[^\p{Cc} ]$/u.test(event.key)
}
