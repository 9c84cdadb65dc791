import zlib from 'node:zlib'
import { expect, test } from 'vitest'
import { xxh64 } from './xxh64.ts'

// The digests of the reference implementation, low 32 bits.
test.each([
  ['', 0x51d8e999],
  ['a', 0xa98c6e5b],
  ['abc', 0xad770999],
])('hashes %j as the reference does', (text, expected) => {
  const hash = xxh64()
  hash.update(Buffer.from(text))
  expect(hash.low32()).toBe(expected)
})

test('agrees with zlib for every length up to 300, whatever the pieces', () => {
  for (let length = 0; length <= 300; length++) {
    const bytes = Buffer.from(Array.from({ length }, (_, index) => (index * 131 + length * 17) & 0xff))
    const frame = zlib.zstdCompressSync(bytes, { params: { [zlib.constants.ZSTD_c_checksumFlag]: 1 } })
    const hash = xxh64()
    hash.update(bytes.subarray(0, length / 3))
    hash.update(bytes.subarray(length / 3, length / 2))
    hash.update(bytes.subarray(length / 2))
    expect(hash.low32(), `length ${length}`).toBe(frame.readUInt32LE(frame.length - 4))
  }
})
