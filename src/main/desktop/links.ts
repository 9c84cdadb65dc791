import { fail, ok, type Result } from '../../shared/result.ts'
import { toolError } from '../../shared/tool-error.ts'

/** Where the window's own files are: the only origin that may call us or be shown. */
export const BUNDLE = 'app://bundle/'

/**
 * True for an address of our own window. Compares protocol and host, never `origin`, which is the text "null" for a
 * custom protocol in Node (engineering §3.1, item 13).
 */
export function isOwnAddress(address: string): boolean {
  const url = parsed(address)
  return url !== undefined && url.protocol === 'app:' && url.host === 'bundle' && url.username === '' && url.port === ''
}

/**
 * Decides whether an address from a transcript may go to the system's browser: http and https only, written out by the
 * parser, so that nothing else reaches a protocol handler. Fails with `invalid_request`.
 */
export function linkToOpen(address: string): Result<string> {
  const url = parsed(address)
  if (url === undefined) {
    return fail(toolError('invalid_request', `${JSON.stringify(address.slice(0, 200))} is not a web address.`))
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return fail(
      toolError('invalid_request', `Treeline opens web addresses only, and this one begins with "${url.protocol}".`),
    )
  }
  if (url.username !== '' || url.password !== '') {
    return fail(
      toolError('invalid_request', `This address hides a name before its host (${url.host}); it was not opened.`),
    )
  }
  return ok(url.href)
}

function parsed(address: string): URL | undefined {
  return URL.canParse(address) ? new URL(address) : undefined
}
