/** Longest slug in letters, and in bytes of UTF-8: a folder's name may have 255 bytes, on encrypted homes 143. */
const LONGEST_SLUG = 40
const LONGEST_SLUG_BYTES = 80

/** Names Windows gives to devices, with or without an extension: no file or folder may be called so. */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\..*)?$/i

/**
 * Makes of any title or prompt a piece that may stand in a folder's name and in a branch's on every system (field
 * faults F12, F29): small letters and numbers of any script, joined by single hyphens. Accents on Latin letters go
 * (the plain letter is what people type), other scripts stay as they are: there is no transliteration everyone reads.
 * @returns never empty; `session` where a name has no letter or number, such as one of emoji only
 */
export function slugOf(name: string): string {
  const plain = name
    // Far more than a slug keeps; a prompt may have a million letters.
    .slice(0, 400)
    .normalize('NFKD')
    // Letters nobody sees, such as fillers, joiners and variation selectors.
    .replace(/\p{Default_Ignorable_Code_Point}+/gu, '')
    .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
    .toLowerCase()
    .normalize('NFC')
    // Two marks on one letter are writing, more are decoration that spills over its neighbours.
    .replace(/(\p{M}{2})\p{M}+/gu, '$1')
    .replace(/(?<![\p{L}\p{N}\p{M}])\p{M}+/gu, '')
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
  const slug = cut(plain)
  if (slug === '') return 'session'
  return RESERVED.test(slug) ? `${slug}-session` : slug
}

/**
 * A repository's name as a folder's name: readable, with its own letters and case, without what Windows forbids and
 * without a leading dash or dot.
 */
export function folderNameOf(name: string): string {
  const plain = name
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}\p{M}._-]+/gu, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
  const short = cut(plain).replace(/\.+$/, '')
  if (short === '') return 'repository'
  return RESERVED.test(short) ? `${short}-repository` : short
}

/** The last 8 letters of a session id: a UUIDv7 begins with the time, so only its end tells sessions apart. */
export function shortIdOf(sessionId: string): string {
  const letters = sessionId.toLowerCase().replace(/[^0-9a-z]/g, '')
  return letters.slice(-8)
}

/** Cuts by whole characters, and at a hyphen where that costs less than half. */
function cut(text: string): string {
  let kept = ''
  let count = 0
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)) {
    count += 1
    if (count > LONGEST_SLUG || Buffer.byteLength(kept + segment) > LONGEST_SLUG_BYTES) {
      const hyphen = kept.lastIndexOf('-')
      return (text[kept.length] !== '-' && hyphen > kept.length / 2 ? kept.slice(0, hyphen) : kept).replace(/-+$/, '')
    }
    kept += segment
  }
  return kept
}
