import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'

/**
 * One file out of a .tgz, streamed. npm's tarballs are plain ustar: a header block of 512 bytes, the content, padding.
 * @param {string} tarball
 * @param {string} wanted
 * @param {string} target
 */
export async function extractTarEntry(tarball, wanted, target) {
  let found = false
  await pipeline(
    createReadStream(tarball),
    createGunzip(),
    async function* (source) {
      let pending = Buffer.alloc(0)
      let remaining = 0
      let padding = 0
      let isWanted = false
      for await (const chunk of source) {
        let bytes = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
        pending = Buffer.alloc(0)
        while (bytes.length > 0) {
          if (remaining > 0) {
            const part = bytes.subarray(0, remaining)
            if (isWanted) yield part
            remaining -= part.length
            bytes = bytes.subarray(part.length)
          } else if (padding > 0) {
            const skipped = Math.min(padding, bytes.length)
            padding -= skipped
            bytes = bytes.subarray(skipped)
          } else if (bytes.length < 512) {
            pending = bytes
            break
          } else {
            const name = bytes.toString('utf8', 0, 100).replace(/\0.*$/s, '')
            remaining = Number.parseInt(bytes.toString('latin1', 124, 136), 8) || 0
            padding = (512 - (remaining % 512)) % 512
            isWanted = name === wanted
            found ||= isWanted
            bytes = bytes.subarray(512)
          }
        }
      }
    },
    createWriteStream(target),
  )
  if (!found) throw new Error(`${tarball} holds no ${wanted}`)
}
