import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { windowStateFile } from './window-state.ts'

let folder: string
let path: string
const faults: string[] = []
const report = (sentence: string): number => faults.push(sentence)

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'treeline-state-'))
  path = join(folder, 'treeline', 'window.json')
  faults.length = 0
})
afterEach(() => rm(folder, { recursive: true, force: true }))

it('keeps each entry through changes of the others, made at the same time', async () => {
  const state = windowStateFile(path, report)
  void state.change({ window: { bounds: 1 } })
  void state.change({ importAnswered: true })
  void state.change({ window: { bounds: 2 } })
  await state.written()
  expect(await windowStateFile(path, report).read()).toEqual({ window: { bounds: 2 }, importAnswered: true })
})

it.each(['', '{"window":{"bou', '[]', 'null', '7'])('begins anew where the file holds %j', async (text) => {
  await mkdir(dirname(path))
  await writeFile(path, text)
  const state = windowStateFile(path, report)
  expect(await state.read()).toEqual({})
  await state.change({ importAnswered: true })
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ importAnswered: true })
})

it('reads without making anything, and reports what it cannot write', async () => {
  await writeFile(join(folder, 'treeline'), 'a file where a folder should be')
  const state = windowStateFile(path, report)
  expect(await state.read()).toEqual({})
  await state.change({ importAnswered: true })
  expect(faults).toEqual([`${path} could not be written.`])
  expect(await readdir(folder)).toEqual(['treeline'])
})
