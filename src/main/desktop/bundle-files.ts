import { readFile, realpath } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import { isOwnAddress } from './links.ts'

/** Holds with no violation for the whole window, no nonce and no `unsafe-inline` (stack-facts §3). */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** Every kind of file the window is built of. Anything else is not served. */
const MIME: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

const HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
}

/**
 * Answers `app://bundle/…` with files below `root` and nothing else: what leads out of it, by dots, by encoded
 * separators, by an absolute path or by a symbolic link, is 404 like what is not there (engineering §3.1, item 18).
 */
export async function serveBundle(request: Request, root: string): Promise<Response> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return refused(405)
  const path = await bundlePath(request.url, root)
  const type = path === undefined ? undefined : MIME[extname(path)]
  if (path === undefined || type === undefined) return refused(404)
  try {
    const bytes = await readFile(path)
    return new Response(new Uint8Array(bytes), { headers: { ...HEADERS, 'content-type': type } })
  } catch {
    // A folder, or a file that went away between the two looks: there is nothing to serve.
    return refused(404)
  }
}

async function bundlePath(address: string, root: string): Promise<string | undefined> {
  if (!isOwnAddress(address)) return undefined
  let path: string
  try {
    path = decodeURIComponent(new URL(address).pathname)
  } catch {
    return undefined
  }
  // After decoding, a backslash, a zero byte or a colon can only come from an escape: none of our files has one.
  if (/[\\\0:]/.test(path) || path.split('/').some((part) => part === '..' || part === '.')) return undefined
  try {
    const base = await realpath(root)
    const real = await realpath(join(base, path === '/' ? 'index.html' : path))
    return real.startsWith(base + sep) ? real : undefined
  } catch {
    return undefined
  }
}

function refused(status: number): Response {
  return new Response(null, { status, headers: HEADERS })
}
