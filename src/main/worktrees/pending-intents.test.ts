import { existsSync } from 'node:fs'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createGit } from './git.ts'
import { createGitWorktrees } from './git-worktrees.ts'
import { clearIntent, recordIntent, undoIntents } from './pending-intents.ts'
import { homeWithRepository } from './testing/home-with-repository.ts'
import { TEST_ENVIRONMENT } from './testing/test-git.ts'
import { added, planned, SESSION } from './testing/worktree-harness.ts'

test('an intent is whole, private and under its session’s name; clearing what is not there is no failure', async () => {
  const { home, pending, repository } = await homeWithRepository()
  const worktrees = createGitWorktrees({ home, git: createGit(TEST_ENVIRONMENT) })
  const plan = await planned(worktrees, repository)
  expect(await recordIntent(pending, plan)).toEqual({ ok: true, value: undefined })
  expect(await readdir(pending)).toEqual([`${SESSION}.json`])
  expect((await stat(join(pending, `${SESSION}.json`))).mode & 0o777).toBe(0o600)
  expect(JSON.parse(await readFile(join(pending, `${SESSION}.json`), 'utf8'))).toEqual({
    version: 1,
    id: SESSION,
    recordedAt: expect.any(Number),
    ...plan.record,
    gitDirectory: join(repository, '.git'),
    newFolder: join(home, 'worktrees'),
  })
  expect(await clearIntent(pending, SESSION)).toEqual({ ok: true, value: undefined })
  expect(await clearIntent(pending, SESSION)).toEqual({ ok: true, value: undefined })
  expect(await clearIntent(join(home, 'nowhere'), SESSION)).toEqual({ ok: true, value: undefined })
  expect(await readdir(pending)).toEqual([])
})

test('a session id that is a path is refused, and nothing is written', async () => {
  const { home, pending, repository } = await homeWithRepository()
  const worktrees = createGitWorktrees({ home, git: createGit(TEST_ENVIRONMENT) })
  const plan = { ...(await planned(worktrees, repository)), sessionId: '../../escape' }
  expect(await recordIntent(pending, plan)).toMatchObject({ ok: false, error: { code: 'invalid_session_id' } })
  expect(await clearIntent(pending, '../../escape')).toMatchObject({ ok: false })
  expect(existsSync(pending)).toBe(false)
})

test('an intent that cannot be written is io_failed, so git is not called', async () => {
  const { home, repository } = await homeWithRepository()
  const worktrees = createGitWorktrees({ home, git: createGit(TEST_ENVIRONMENT) })
  const plan = await planned(worktrees, repository)
  await writeFile(join(home, 'pending'), 'a file in its place')
  expect(await recordIntent(join(home, 'pending'), plan)).toMatchObject({ ok: false, error: { code: 'io_failed' } })
})

test.each<[string, (text: string) => string]>([
  ['cut', (text) => text.slice(0, 40)],
  ['empty', () => ''],
  ['of another session', (text) => text.replace('deadbeef', 'deadbee0')],
  ['with a relative path', (text) => text.replace(/"path": "[^"]*"/, '"path": "worktrees/x"')],
  ['with a branch git would not take', (text) => text.replace(/"branch": "[^"]*"/, '"branch": "-D main"')],
  ['without its repository', (text) => text.replace('"gitDirectory"', '"other"')],
  ['of a later version', (text) => text.replace('"version": 1', '"version": 2')],
])('a damaged intent (%s) is reported and left, and the sound one beside it is undone', async (_, damage) => {
  const { home, pending, repository, nextOwner } = await homeWithRepository()
  const worktrees = createGitWorktrees({ home, git: createGit(TEST_ENVIRONMENT) })
  const plan = await planned(worktrees, repository)
  const sound = SESSION.replace('deadbeef', 'cafe0000')
  await recordIntent(pending, plan)
  await recordIntent(pending, { ...plan, sessionId: sound })
  await writeFile(join(pending, `${SESSION.replace('deadbeef', 'cafe0001')}.json.tmp`), '{"half')
  const file = join(pending, `${SESSION}.json`)
  const damaged = damage(await readFile(file, 'utf8'))
  await writeFile(file, damaged)
  const report = await nextOwner()
  expect(report).toMatchObject({ undone: [sound], dropped: [], kept: [{ session_id: SESSION, path: file }] })
  expect(report.kept[0]?.message).toContain('nothing was undone')
  expect(await readFile(file, 'utf8')).toBe(damaged)
  expect(await readdir(pending)).toEqual([`${SESSION}.json`])
})

test('where the tree cannot tell whether the session exists, neither worktree nor intent is touched', async () => {
  const home = await homeWithRepository()
  const worktrees = createGitWorktrees({ home: home.home, git: createGit(TEST_ENVIRONMENT) })
  const plan = await planned(worktrees, home.repository)
  await recordIntent(home.pending, plan)
  await added(worktrees, plan)
  const before = await home.look()
  const report = await undoIntents(home.pending, worktrees, () => Promise.resolve(undefined))
  expect(report).toMatchObject({ undone: [], dropped: [], kept: [{ session_id: SESSION, path: plan.record.path }] })
  expect(await home.look()).toEqual(before)
  expect(await readdir(home.pending)).toEqual([`${SESSION}.json`])
})

test('without git the intents stay for a start that has it', async () => {
  const { home, pending, repository } = await homeWithRepository()
  const plan = await planned(createGitWorktrees({ home, git: createGit(TEST_ENVIRONMENT) }), repository)
  await recordIntent(pending, plan)
  const none = createGitWorktrees({ home, git: createGit({ PATH: home }, []) })
  const report = await undoIntents(pending, none, () => Promise.resolve(false))
  expect(report).toMatchObject({ undone: [], kept: [{ session_id: SESSION, path: plan.record.path }] })
  expect(await readdir(pending)).toEqual([`${SESSION}.json`])
  expect(await undoIntents(join(home, 'nowhere'), none, () => Promise.resolve(false))).toEqual({
    undone: [],
    dropped: [],
    kept: [],
  })
})
