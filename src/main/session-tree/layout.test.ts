import { join } from 'node:path'
import { expect, test } from 'vitest'
import { childKinds, childPlace, mainPlace, parentOf, placeFromPath, rootOf } from './layout.ts'
import { errorOf, sessionId, valueOf } from './testing/tree-home.ts'

const ROOT = join('/', 'home', 'dev', '.dsh', 'session-tree')
const MAIN = sessionId('session-0f010000-0000-4000-8000-000000000001')
const FORK = sessionId('session-2')
const HELPER = sessionId('0f030000-0000-4000-8000-000000000003')

const main = mainPlace(ROOT, MAIN)
const fork = childPlace(main, 'fork', FORK)
const helper = childPlace(fork, 'subagent', HELPER)

test('places stand in the folders of the specification', () => {
  expect(helper.logPath).toBe(join(ROOT, MAIN, 'forks', FORK, 'subagents', HELPER, 'session.jsonl'))
  expect([main, fork, helper].map((place) => place.kind)).toEqual(['main', 'fork', 'subagent'])
  expect(helper.ancestors).toEqual([MAIN, FORK])
  expect([parentOf(main), parentOf(fork), parentOf(helper)]).toEqual([undefined, MAIN, FORK])
  expect([rootOf(main), rootOf(helper)]).toEqual([MAIN, MAIN])
})

test('only a main holds forks', () => {
  expect(childKinds('main')).toEqual(['fork', 'subagent'])
  expect(childKinds('fork')).toEqual(['subagent'])
  expect(childKinds('subagent')).toEqual(['subagent'])
})

test.each([main, fork, helper])('a path gives its place back: $kind', (place) => {
  expect(valueOf(placeFromPath(ROOT, place.directory))).toEqual(place)
  expect(valueOf(placeFromPath(ROOT, place.logPath))).toEqual(place)
})

test.each([
  ['the root itself', ROOT],
  ['outside', join(ROOT, '..', 'treeline')],
  ['a name that is no id', join(ROOT, 'notes')],
  ['a fork of a fork', join(fork.directory, 'forks', HELPER)],
  ['a fork of a subagent', join(helper.directory, 'forks', MAIN)],
  ['a collection', join(main.directory, 'forks')],
  ['another folder', join(main.directory, 'notes', HELPER)],
  ['an unpublished child', join(main.directory, 'forks', '.new-1')],
])('no place: %s', (_name, path) => {
  expect(errorOf(placeFromPath(ROOT, path))).toMatchObject({ code: 'layout_mismatch', path })
})
