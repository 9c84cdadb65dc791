import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findDshLogs } from './find-logs.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'find-logs-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

async function put(...paths: string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(dirname(join(home, path)), { recursive: true })
    await writeFile(join(home, path), '')
  }
}

async function found(folder = '') {
  const logs: string[] = []
  const problems: string[] = []
  for await (const each of findDshLogs(join(home, folder))) {
    if (each.kind === 'problem') problems.push(`${each.error.code} ${relative(home, each.error.path ?? '')}`)
    else logs.push(`${each.encoding} ${each.inProject ? 'project' : 'loose'} ${relative(home, each.path)}`)
  }
  return { logs, problems }
}

test('a sessions root: every project, the one without a folder too, both encodings', async () => {
  await put(
    '--w-a--/session-1/session.jsonl',
    '--w-b--/session-2/session.jsonl.zstd',
    '_no-cwd/session-3/session.jsonl',
  )
  await put('--w-a--/session-1/session.jsonl.ab12.tmp', '--w-a--/session-4/notes.txt', 'stray.txt')
  expect(await found()).toEqual({
    logs: [
      'plain project --w-a--/session-1/session.jsonl',
      'zstd project --w-b--/session-2/session.jsonl.zstd',
      'plain project _no-cwd/session-3/session.jsonl',
    ],
    problems: [],
  })
})

test('a home, a project’s folder, a session’s folder', async () => {
  await put('sessions/--w--/session-1/session.jsonl.zstd', 'sessions-plain/--w--/session-2/session.jsonl')
  await put('session-tree/session-9/session.jsonl')
  const both = [
    'zstd project sessions/--w--/session-1/session.jsonl.zstd',
    'plain project sessions-plain/--w--/session-2/session.jsonl',
  ]
  expect((await found()).logs).toEqual(both)
  expect((await found('sessions/--w--')).logs).toEqual(both.slice(0, 1))
  expect((await found('sessions-plain/--w--/session-2')).logs).toEqual(both.slice(1))
})

test('later versions and the flat layout are told with their paths', async () => {
  await put(
    '--w--/session-1/session.jsonl',
    '--w--/session-1/session.v3.jsonl',
    '--w--/session-2/session.v4.jsonl.zstd',
  )
  await put('--w--/session-5.jsonl', '_no-cwd/session-6.jsonl.zstd')
  const { logs, problems } = await found()
  expect(logs).toEqual(['plain project --w--/session-1/session.jsonl'])
  expect(problems.toSorted()).toEqual([
    'import_failed --w--/session-5.jsonl',
    'import_failed _no-cwd/session-6.jsonl.zstd',
    'unsupported_version --w--/session-1/session.v3.jsonl',
    'unsupported_version --w--/session-2/session.v4.jsonl.zstd',
  ])
})

test('a folder that is not there is a problem of its own', async () => {
  expect(await found('none')).toEqual({ logs: [], problems: ['io_failed none'] })
})
