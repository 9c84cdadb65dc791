import { createHash } from 'node:crypto'
import { parseSessionId, type SessionId } from '../../shared/session-id.ts'

/** Set apart from any other use of the same hash; part of the derivation, so never to be changed. */
const NAMESPACE = 'treeline/imported-session-id\0'

/**
 * The id under which a foreign session stands in the tree: its own where that is safe as a directory name, else one
 * derived from it, the same each time, so that a second import finds what the first one made (field fault F08).
 * @param foreign any text; two different texts give two different ids, lone surrogates included.
 */
export function safeSessionId(foreign: string): { readonly id: SessionId; readonly derived: boolean } {
  const own = parseSessionId(foreign)
  if (own.ok) return { id: own.value, derived: false }
  const hash = createHash('sha256').update(NAMESPACE).update(Buffer.from(foreign, 'utf16le')).digest()
  // A version 8 UUID: vendor-defined content (RFC 9562 §5.8), so it claims to be neither random nor a time.
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x80
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  const hex = hash.toString('hex')
  const uuid = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
  const derived = parseSessionId(`session-${uuid}`)
  if (!derived.ok) throw new Error(`A derived id is not an id: ${uuid}`)
  return { id: derived.value, derived: true }
}
