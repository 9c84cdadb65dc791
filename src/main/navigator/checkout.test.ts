import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { lookAtCheckout } from './checkout.ts'

const run = promisify(execFile)
let folder: string

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'treeline-checkout-')))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function git(...values: string[]): Promise<string> {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org']
  return (await run('git', [...identity, '-C', folder, ...values])).stdout
}

async function withCommit(): Promise<void> {
  await git('init', '-q', '-b', 'feature/ünï')
  await writeFile(join(folder, 'a.txt'), 'a')
  await git('add', '.')
  await git('commit', '-q', '-m', 'one')
}

it('knows a plain folder from a repository', async () => {
  expect(await lookAtCheckout(folder, process.env)).toEqual({ noWorktree: 'not a Git repository' })
  expect(await lookAtCheckout(join(folder, 'not there'), process.env)).toEqual({ noWorktree: 'not a Git repository' })
})

it('finds the branch, loose or packed, from a subfolder and from a worktree of its own', async () => {
  await withCommit()
  await mkdir(join(folder, 'pkg'))
  expect(await lookAtCheckout(join(folder, 'pkg'), process.env)).toEqual({ branch: 'feature/ünï' })
  await git('pack-refs', '--all')
  expect(await lookAtCheckout(folder, process.env)).toEqual({ branch: 'feature/ünï' })
  await git('worktree', 'add', '-q', '-b', 'other', join(folder, 'w'))
  expect(await lookAtCheckout(join(folder, 'w'), process.env)).toEqual({ branch: 'other' })
})

it('says that there is no commit yet', async () => {
  await git('init', '-q', '-b', 'trunk')
  expect(await lookAtCheckout(folder, process.env)).toEqual({ branch: 'trunk', noWorktree: 'no commit yet' })
})

it('lets a detached checkout have worktrees', async () => {
  await withCommit()
  await git('checkout', '-q', '--detach')
  expect(await lookAtCheckout(folder, process.env)).toEqual({})
})
