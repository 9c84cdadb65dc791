import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderProblem, folderState, worktreeState } from './folder-state.ts'
import { findRepository, repositoryName } from './repository.ts'
import { git, makeRepository, temporaryFolder } from './testing/test-git.ts'

test('one repository for its checkout, a subfolder, a worktree, a symbolic link and its own git directory', async () => {
  const folder = await temporaryFolder()
  const repository = await makeRepository(join(folder, 'r'))
  await mkdir(join(repository, 'pkg', 'app'), { recursive: true })
  await git(repository, 'worktree', 'add', '-q', '-b', 'w', join(folder, 'w'))
  await symlink(join(repository, 'pkg'), join(folder, 'link'))
  for (const [cwd, worktree] of [
    [repository, repository],
    [join(repository, 'pkg', 'app'), repository],
    [join(folder, 'w'), join(folder, 'w')],
    [join(folder, 'link', 'app'), repository],
    [join(repository, '.git', 'objects'), undefined],
    // Gone since; what is left above it still tells.
    [join(repository, 'pkg', 'gone', 'deeper'), repository],
  ] as const) {
    const place = await findRepository(cwd)
    expect(place, cwd).toEqual({
      repository,
      name: 'r',
      commonDirectory: join(repository, '.git'),
      ...(worktree === undefined ? {} : { worktree }),
    })
  }
  expect(await findRepository(folder)).toBeUndefined()
})

test('a git directory kept apart, a broken link, and a .git that is no repository', async () => {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'store'))
  await git(folder, 'init', '-q', '--separate-git-dir', join(folder, 'store', 'p.git'), join(folder, 'p'))
  expect(await findRepository(join(folder, 'p'))).toMatchObject({
    repository: join(folder, 'store', 'p.git'),
    name: 'p',
    worktree: join(folder, 'p'),
  })
  await mkdir(join(folder, 'broken'))
  await writeFile(join(folder, 'broken', '.git'), 'gitdir: ../nowhere\n')
  expect(await findRepository(join(folder, 'broken'))).toBeUndefined()
  const outer = await makeRepository(join(folder, 'outer'))
  await mkdir(join(outer, 'inner', '.git'), { recursive: true })
  expect((await findRepository(join(outer, 'inner')))?.repository).toBe(outer)
})

test('core.worktree is read as git reads it', async () => {
  const folder = await temporaryFolder()
  const repository = await makeRepository(join(folder, 'r'))
  await mkdir(join(folder, 'else where'))
  await git(folder, 'clone', '-q', '--bare', repository, join(folder, 'store'))
  await git(join(folder, 'store'), 'config', 'core.bare', 'false')
  await git(join(folder, 'store'), 'config', 'core.worktree', '../else where')
  expect((await findRepository(join(folder, 'store')))?.repository).toBe(join(folder, 'else where'))
})

test.each([
  ['/home/dev/app', 'app'],
  ['/home/dev/app.git', 'app'],
  ['/home/dev/app/.bare', 'app'],
  ['/', 'repository'],
])('the repository %s is called %s', (repository, name) => {
  expect(repositoryName(repository)).toBe(name)
})

test('folders as F10 finds them', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'file'), '')
  const states: readonly (readonly [string, string, string | undefined])[] = [
    [folder, 'there', undefined],
    [join(folder, 'gone'), 'missing', 'cwd_missing'],
    [join(folder, 'file'), 'not_a_folder', 'cwd_missing'],
    [join(folder, 'file', 'below'), 'missing', 'cwd_missing'],
    ['relative/path', 'foreign', 'cwd_not_absolute'],
    ['~/x', 'foreign', 'cwd_not_absolute'],
    ['', 'foreign', 'cwd_not_absolute'],
    ['C:\\Users\\dev', 'foreign', 'cwd_not_absolute'],
    ['\\\\wsl.localhost\\Ubuntu\\home', 'foreign', 'cwd_not_absolute'],
    [`${folder}\0`, 'foreign', 'cwd_not_absolute'],
  ]
  for (const [path, state, code] of states) {
    expect(await folderState(path), path).toBe(state)
    expect((await folderProblem(path))?.code, path).toBe(code)
  }
})

test('a worktree is missing when its folder, its link or its entry is gone', async () => {
  const folder = await temporaryFolder()
  const repository = await makeRepository(join(folder, 'r'))
  const paths = ['gone', 'unlinked', 'forgotten', 'sound'].map((name) => join(folder, name))
  for (const path of paths) await git(repository, 'worktree', 'add', '-q', '--detach', path)
  await rm(join(folder, 'gone'), { recursive: true })
  await rm(join(folder, 'unlinked', '.git'))
  await rm(join(repository, '.git', 'worktrees', 'forgotten'), { recursive: true })
  const states = await Promise.all(paths.map((path) => worktreeState({ path })))
  expect(states).toEqual(['missing', 'missing', 'missing', 'there'])
})
