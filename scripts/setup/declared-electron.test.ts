import { expect, test } from 'vitest'
import { reasonIn } from './declared-electron.mjs'

test.each([
  ['TypeError: fetch failed\n    at node:internal/deps/undici/undici:1', 'fetch failed'],
  [
    'Downloading…\nHTTPError: Response code 403 (Forbidden) for https://x\n    at y',
    'Response code 403 (Forbidden) for https://x',
  ],
  ['Error: Generated checksum for "e.zip" did not match\n', 'Generated checksum for "e.zip" did not match'],
  ['', 'the installer failed'],
])('the reason is the message in what the installer printed: %j', (output, reason) => {
  expect(reasonIn(output)).toBe(reason)
})
