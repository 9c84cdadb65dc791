import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createGit, type RunGit } from './git.ts'
import { git, makeRepository, temporaryFolder, TEST_ENVIRONMENT } from './testing/test-git.ts'
import { listWorktrees, unquotePath } from './worktree-list.ts'

test('every worktree with its path, whatever is in it, its commit and its branch', async () => {
  const folder = await temporaryFolder()
  const repository = await makeRepository(join(folder, '"果园" ü'))
  const head = (await git(repository, 'rev-parse', 'HEAD')).trim()
  await git(repository, 'worktree', 'add', '-q', '-b', 'x/y', join(folder, 'line\nHEAD\nbreak'))
  await git(repository, 'worktree', 'add', '-q', '--detach', join(folder, 'loose'))
  const expected = [
    { path: repository, head, branch: 'main', bare: false },
    { path: join(folder, 'line\nHEAD\nbreak'), head, branch: 'x/y', bare: false },
    { path: join(folder, 'loose'), head, bare: false },
  ]
  const modern = createGit(TEST_ENVIRONMENT)
  expect(await listWorktrees(modern, join(repository, '.git'))).toEqual({ ok: true, value: expected })
  // As before 2.36, where the listing is by lines and a line break in a path stands as it is.
  const old: RunGit = (args, options) =>
    args.includes('-z')
      ? Promise.resolve({ ok: true, value: { exitCode: 129, stdout: '', stderr: "error: unknown switch `z'" } })
      : modern(args, options)
  expect(await listWorktrees(old, join(repository, '.git'))).toEqual({ ok: true, value: expected })
})

test.each([
  ['/plain path', '/plain path'],
  ['"/a\\tb"', '/a\tb'],
  ['"/a\\"b\\\\c"', '/a"b\\c'],
  ['"/\\346\\236\\234\\345\\233\\255 \\303\\274"', '/果园 ü'],
  ['"/果\\n园"', '/果\n园'],
  ['"', '"'],
])('%s is the path %j', (quoted, path) => {
  expect(unquotePath(quoted)).toBe(path)
})
