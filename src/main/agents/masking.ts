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

/** Masks secrets in UTF-8 that flows by. They must not hold what JSON escapes, or JSON would hide them. */
export function maskingStream(secrets: readonly string[]): TransformStream<Uint8Array, Uint8Array> {
  const masker = createMasker(secrets)
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  return new TransformStream({
    transform(bytes, controller) {
      controller.enqueue(encoder.encode(masker.push(decoder.decode(bytes, { stream: true }))))
    },
    flush(controller) {
      controller.enqueue(encoder.encode(masker.push(decoder.decode()) + masker.end()))
    },
  })
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
