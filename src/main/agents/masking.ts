/** Replaces secrets in a text that comes in pieces, wherever the pieces end. */
export interface Masker {
  /** The next piece, masked. What may be the beginning of a secret is held back until it is known. */
  push(piece: string): string
  /** What was held back: no more pieces will come. */
  end(): string
}

export const MASK = '[masked]'

/** @param secrets texts that must not be shown; empty ones are passed over. */
export function createMasker(secrets: readonly string[]): Masker {
  const known = secrets.filter((secret) => secret !== '')
  let held = ''
  return {
    push(piece) {
      const masked = mask(held + piece, known)
      const safe = masked.length - longestBeginning(masked, known)
      held = masked.slice(safe)
      return masked.slice(0, safe)
    },
    end() {
      const rest = held
      held = ''
      return rest
    },
  }
}

/** A whole text, masked. */
export function mask(text: string, secrets: readonly string[]): string {
  return secrets.reduce((masked, secret) => (secret === '' ? masked : masked.replaceAll(secret, MASK)), text)
}

/** How many letters at the text's end are the beginning of a secret. */
function longestBeginning(text: string, secrets: readonly string[]): number {
  let longest = 0
  for (const secret of secrets) {
    for (let length = Math.min(secret.length - 1, text.length); length > longest; length--) {
      if (text.endsWith(secret.slice(0, length))) longest = length
    }
  }
  return longest
}
