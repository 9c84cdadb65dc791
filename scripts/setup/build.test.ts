import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sourcesHash } from './build.mjs'

let root: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'treeline-build-'))
  await mkdir(join(root, 'src', 'main'), { recursive: true })
  await writeFile(join(root, 'package.json'), '{}')
  await writeFile(join(root, 'src', 'main', 'index.ts'), 'one')
  await writeFile(join(root, 'src', 'main', 'index.test.ts'), 'a test')
})

afterEach(() => rm(root, { recursive: true, force: true }))

test('times and tests do not count', async () => {
  const before = await sourcesHash(root)
  await utimes(join(root, 'src', 'main', 'index.ts'), 1, 1)
  await writeFile(join(root, 'src', 'main', 'index.test.ts'), 'another test')
  expect(await sourcesHash(root)).toBe(before)
})

test('contents, names and settings do', async () => {
  const seen = [await sourcesHash(root)]
  await writeFile(join(root, 'src', 'main', 'index.ts'), 'two')
  seen.push(await sourcesHash(root))
  await writeFile(join(root, 'src', 'main', 'other.ts'), '')
  seen.push(await sourcesHash(root))
  await rm(join(root, 'src', 'main', 'other.ts'))
  await writeFile(join(root, 'src', 'main', 'another.ts'), '')
  seen.push(await sourcesHash(root))
  await writeFile(join(root, 'electron.vite.config.ts'), 'x')
  seen.push(await sourcesHash(root))
  expect(new Set(seen).size).toBe(seen.length)
})
