import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { StepFailure } from './failure.mjs'
import { verifyIntegrity } from './large-package.mjs'
import { extractTarEntry } from './tar-entry.mjs'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'treeline-package-'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

test('a file that is not the one that was published is refused', async () => {
  const file = join(folder, 'package.tgz')
  await writeFile(file, 'content')
  await expect(verifyIntegrity(file, integrity('content'))).resolves.toBeUndefined()
  await expect(verifyIntegrity(file, integrity('other'))).rejects.toThrow(StepFailure)
})

test('one file is taken out of a tarball, whole, wherever it stands in it', async () => {
  const large = Buffer.alloc(200_000, 'abc')
  const files = {
    'package/first': Buffer.from('1'),
    'package/bin/large': large,
    'package/last': Buffer.alloc(512, 'z'),
  }
  const tarball = join(folder, 'package.tgz')
  await writeFile(tarball, gzipSync(Buffer.concat([...Object.entries(files).map(entryOf), Buffer.alloc(1024)])))
  for (const [name, content] of Object.entries(files)) {
    await extractTarEntry(tarball, name, join(folder, 'out'))
    expect(content.equals(await readFile(join(folder, 'out')))).toBe(true)
  }
  await expect(extractTarEntry(tarball, 'package/other', join(folder, 'out'))).rejects.toThrow('holds no package/other')
})

function integrity(text: string): string {
  return `sha512-${createHash('sha512').update(text).digest('base64')}`
}

/** A file as ustar has it: a header of 512 bytes, the content, padding. */
function entryOf([name, content]: [string, Buffer]): Buffer {
  const header = Buffer.alloc(512)
  header.write(name)
  header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124)
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)])
}
