import { lstat, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { linkProjectRuntime } from './project-runtime.mjs'

let folder: string
let shared: string
let own: string

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'treeline-runtime-')))
  shared = join(folder, 'shared')
  own = join(folder, 'cache', 'electron')
  await mkdir(join(shared, 'locales'), { recursive: true })
  await mkdir(join(shared, 'resources'))
  await mkdir(join(folder, 'one'))
  await mkdir(join(folder, 'two'))
  await writeFile(join(shared, 'electron'), 'binary', { mode: 0o755 })
  await writeFile(join(shared, 'locales', 'en.pak'), 'words')
})

afterEach(() => rm(folder, { recursive: true, force: true }))

test('the files are the shared ones, and resources/app is this checkout’s own', async () => {
  const executable = await linkProjectRuntime(shared, own, join(folder, 'one'))
  expect(executable).toBe(join(own, 'electron'))
  expect((await stat(executable)).ino).toBe((await stat(join(shared, 'electron'))).ino)
  expect(await readFile(join(own, 'locales', 'en.pak'), 'utf8')).toBe('words')
  expect(await realpath(join(own, 'resources', 'app'))).toBe(join(folder, 'one'))
  expect(await readdir(join(shared, 'resources'))).toEqual([])
})

test('a second call changes nothing', async () => {
  await linkProjectRuntime(shared, own, join(folder, 'one'))
  const before = await lstat(own)
  await linkProjectRuntime(shared, own, join(folder, 'one'))
  expect((await lstat(own)).ino).toBe(before.ino)
})

test('a checkout that was copied or moved gets its own again', async () => {
  await linkProjectRuntime(shared, own, join(folder, 'one'))
  await linkProjectRuntime(shared, own, join(folder, 'two'))
  expect(await realpath(join(own, 'resources', 'app'))).toBe(join(folder, 'two'))
  expect(await readdir(join(folder, 'cache'))).toEqual(['electron'])
})

test('one that is not whole is made again', async () => {
  await linkProjectRuntime(shared, own, join(folder, 'one'))
  await rm(join(own, 'electron'))
  await linkProjectRuntime(shared, own, join(folder, 'one'))
  expect(await readFile(join(own, 'electron'), 'utf8')).toBe('binary')
})
