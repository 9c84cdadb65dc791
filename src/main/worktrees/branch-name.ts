/**
 * Whether git takes a name for a new branch: the rules of `git check-ref-format --branch`, here so that a template can
 * be judged while it is typed. A test holds the two alike.
 */
export function isBranchName(name: string): boolean {
  if (name === '' || name === '@' || name === 'HEAD' || name.startsWith('-')) return false
  if (name.endsWith('.') || name.includes('..') || name.includes('@{')) return false
  if (hasControlSign(name) || /[ ~^:?*[\\]/.test(name)) return false
  return name.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'))
}

/** ASCII's control signs, which git takes in no name; those of Latin-1 it takes. */
function hasControlSign(text: string): boolean {
  return text.split('').some((sign) => sign < ' ' || sign === '\u007f')
}

/**
 * Finds the branch that keeps another from being made, also on systems that do not tell capital letters apart: the
 * same name, `harvest` beside `harvest/2026.4` either way round, and `Harvest/one` beside `harvest/two`, whose folders
 * would be one there (field fault F12).
 * @param branches existing branches, short names
 * @returns the existing branch in the way, or undefined
 */
export function branchInTheWay(wanted: string, branches: readonly string[]): string | undefined {
  const parts = wanted.split('/')
  const folded = parts.map(fold)
  return branches.find((branch) => {
    const others = branch.split('/')
    const shared = Math.min(parts.length, others.length)
    for (let index = 0; index < shared; index += 1) {
      const other = others[index] ?? ''
      if (fold(other) !== folded[index]) return false
      if (index < shared - 1 && other !== parts[index]) return true
    }
    // All that both have is alike, so one is the other or lies below it.
    return true
  })
}

/** Two names that some file systems hold for one: letters differing in case, or in how an accent is written. */
function fold(name: string): string {
  return name.normalize('NFC').toLowerCase()
}
