import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sweepUnpublished } from './publish.ts'
import { newSessionId } from './session-id.ts'
import type { NewSession } from './session-tree.ts'
import { openSessionTree } from './tree-provider.ts'
import { sampleLog, writeAt } from './testing/sample-log.ts'
import {
  allOf,
  createIn,
  errorOf,
  eventsIn,
  forkOf,
  makeTreeHome,
  newSession,
  valueOf,
  type TreeHome,
} from './testing/tree-home.ts'

const PROCESS = fileURLToPath(new URL('./testing/tree-process.ts', import.meta.url))

let home: TreeHome

beforeEach(() => {
  home = makeTreeHome()
})

afterEach(() => home.remove())

/** Every path below the root, for "nothing was left behind". */
const everything = () =>
  existsSync(home.root) ? readdirSync(home.root, { recursive: true }).map(String).toSorted() : []

describe('create', () => {
  test('makes private folders and files, and the header says what the place says', async () => {
    const main = await createIn(home.tree, { title: 'Apples', agentPreset: 'dsh' })
    const child = await createIn(home.tree, { kind: 'subagent', parent: main.id })
    for (const path of [home.root, main.directory, join(main.directory, 'subagents'), child.directory]) {
      expect(statSync(path).mode & 0o777).toBe(0o700)
    }
    expect(statSync(child.logPath).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(child.logPath, 'utf8').split('\n')[0] ?? '')).toEqual({
      type: 'session',
      version: 0,
      id: child.id,
      createdAt: expect.any(Number),
      cwd: '/home/dev/orchard',
      parentSession: main.id,
      origin: 'subagent',
      delegationDepth: 1,
      kind: 'subagent',
      parent_session_id: main.id,
      root_session_id: main.id,
    })
  })

  test('writes the model, the title and the prompt, in this order and in DSH’s shapes', async () => {
    const model = { provider: 'p', model: 'm', reasoningEffort: 'high' }
    const main = await createIn(home.tree, {
      title: 'Apples',
      model,
      prompt: 'Count them.\nAll of them.',
      createdAt: 77,
    })
    expect(eventsIn(main.logPath)).toEqual([
      { type: 'session-tree/model', seq: 0, time: 77, data: model, ignorable: true },
      { type: 'session/title', seq: 1, time: 77, data: { title: 'Apples', messageSeqs: [], source: { kind: 'user' } } },
      {
        type: 'agent/inbox/spliced',
        seq: 2,
        time: 77,
        data: {
          target: 'next-turn',
          start: 0,
          inserted: [
            {
              content: [{ type: 'text', text: 'Count them.\nAll of them.' }],
              source: { kind: 'user' },
              role: 'user',
              id: expect.stringMatching(/^[0-9a-f-]{36}$/),
            },
          ],
        },
      },
    ])
  })

  test('records the worktree of a fork', async () => {
    const main = await createIn(home.tree)
    const worktree = { path: '/wt/apples', branch: 'treeline/apples', base: 'a'.repeat(40), repository: '/repo' }
    const fork = await forkOf(home.tree, main.id, { worktree, cwd: worktree.path })
    expect((await home.tree.facts(fork)).header).toMatchObject({ worktree, cwd: worktree.path })
    expect(valueOf(await home.tree.view(main.id)).forks[0]?.worktree).toBe(worktree.path)
  })

  test('of one id twice at once: exactly one wins, in one process and in two', async () => {
    const id = newSessionId()
    const other = openSessionTree(home.root)
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 ? other : home.tree).create(newSession({ id, prompt: `${index}` })),
      ),
    )
    expect(results.filter((result) => result.ok)).toHaveLength(1)
    expect(results.filter((result) => !result.ok && result.error.code === 'session_exists')).toHaveLength(19)
    expect(everything()).toEqual([id, join(id, 'session.jsonl')])
  })

  test('refuses an id that is taken elsewhere in the tree, also by a session that lost its log', async () => {
    const main = await createIn(home.tree)
    const child = await createIn(home.tree, { kind: 'subagent', parent: main.id })
    expect(errorOf(await openSessionTree(home.root).create(newSession({ id: child.id })))).toMatchObject({
      code: 'session_exists',
      path: child.directory,
    })
    rmSync(main.logPath)
    expect(errorOf(await home.tree.create(newSession({ id: main.id }))).code).toBe('session_exists')
    const empty = newSessionId()
    mkdirSync(join(home.root, empty))
    expect(errorOf(await home.tree.create(newSession({ id: empty }))).code).toBe('session_exists')
  })

  test.each<[string, Partial<NewSession>, string]>([
    ['a child without a parent', { kind: 'subagent' }, 'layout_mismatch'],
    ['a child of nobody', { kind: 'subagent', parent: newSessionId() }, 'unknown_session'],
  ])('refuses %s, and leaves nothing', async (_name, more, code) => {
    expect(errorOf(await home.tree.create(newSession(more))).code).toBe(code)
    expect(everything()).toEqual([])
  })

  test('refuses a fork of a fork or of a subagent: only a main holds forks', async () => {
    const main = await createIn(home.tree)
    const fork = await forkOf(home.tree, main.id)
    const subagent = await createIn(home.tree, { kind: 'subagent', parent: main.id })
    const before = everything()
    for (const parent of [fork.id, subagent.id]) {
      expect(errorOf(await home.tree.create(newSession({ kind: 'fork', parent }))).code).toBe('layout_mismatch')
    }
    expect(everything()).toEqual(before)
  })

  test('refuses a child of a session whose header and folder disagree', async () => {
    const main = await createIn(home.tree)
    writeFileSync(main.logPath, readFileSync(main.logPath, 'utf8').replace('"kind":"main"', '"kind":"subagent"'))
    const before = everything()
    expect(errorOf(await home.tree.create(newSession({ kind: 'subagent', parent: main.id }))).code).toBe(
      'layout_mismatch',
    )
    expect(everything()).toEqual(before)
  })

  test('cancelled before it began leaves nothing, not even the folder for the children', async () => {
    const main = await createIn(home.tree)
    const before = everything()
    const error = errorOf(
      await home.tree.create(newSession({ kind: 'subagent', parent: main.id }), AbortSignal.abort()),
    )
    expect(error.code).toBe('cancelled')
    expect(everything()).toEqual(before)
  })

  test('of many at once below one main, some of them failing, leaves the sound ones whole', async () => {
    const main = await createIn(home.tree)
    const results = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        home.tree.create(
          newSession({ kind: 'subagent', parent: main.id }),
          index % 2 ? AbortSignal.abort() : undefined,
        ),
      ),
    )
    expect(results.filter((result) => result.ok)).toHaveLength(20)
    expect(readdirSync(join(main.directory, 'subagents'))).toHaveLength(20)
    for (const place of await allOf(home.tree.places())) expect((await home.tree.facts(place)).problem).toBeUndefined()
  })

  test.skipIf(process.getuid?.() === 0)('says so where it may not write', async () => {
    mkdirSync(home.root)
    chmodSync(home.root, 0o500)
    expect(errorOf(await home.tree.create(newSession()))).toMatchObject({ code: 'io_failed' })
    expect(everything()).toEqual([])
  })

  test('says so where a file stands in the way', async () => {
    writeFileSync(home.root, 'not a folder')
    const error = errorOf(await home.tree.create(newSession()))
    expect(error.code).toBe('io_failed')
    expect(error.message).toContain(home.root)
  })
})

function header(id: string) {
  return JSON.parse(sampleLog(id).lines[0] ?? '')
}

async function* brokenEvents() {
  yield { type: 'session/title', seq: 0, time: 1, data: { title: 'T' } }
  throw new Error('source broke')
}

describe('adopt', () => {
  test('refuses a header that does not fit its place, and events that DSH would refuse', async () => {
    const id = newSessionId()
    const event = { type: 'session/title', seq: 0, time: 1, data: { title: 'T' } }
    const cases = [
      [{ header: { ...header(id), root_session_id: 'other' }, events: [event] }, 'layout_mismatch'],
      [{ header: header(id), events: [{ ...event, seq: 1 }] }, 'events_not_contiguous'],
      [{ header: header(id), events: [{ ...event, time: 0.5 }] }, 'log_damaged'],
      [{ header: header(id), events: [{ ...event, type: 'future/thing' }] }, 'unknown_event'],
    ] as const
    for (const [session, code] of cases) {
      expect(errorOf(await home.tree.adopt(session)).code).toBe(code)
      expect(everything()).toEqual([])
    }
  })

  test('refuses an id that is no safe name before any path is built', async () => {
    const error = errorOf(await home.tree.adopt({ header: header('../other'), events: [] }))
    expect(error.code).toBe('invalid_session_id')
    expect(everything()).toEqual([])
  })

  test('takes a stream that breaks off as a bug of the source, and leaves nothing', async () => {
    const main = await createIn(home.tree)
    const before = everything()
    const id = newSessionId()
    const child = { kind: 'subagent', parentSession: main.id, parent_session_id: main.id, root_session_id: main.id }
    const session = { header: { ...header(id), ...child }, parent: main.id, events: brokenEvents() }
    await expect(home.tree.adopt(session)).rejects.toThrow('source broke')
    expect(everything()).toEqual(before)
  })
})

/** Runs a process that may not make any file larger than so many KiB: the system itself cuts its writes short. */
async function runLimited(
  kibibytes: number,
  args: readonly string[],
): Promise<{ ok: boolean; error?: { code: string } }> {
  const child = spawn(
    'bash',
    ['-c', 'ulimit -f "$0" && exec "$@"', `${kibibytes}`, process.execPath, PROCESS, home.root, ...args],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let output = ''
  child.stdout.on('data', (text) => (output += String(text)))
  await once(child, 'close')
  return JSON.parse(output)
}

describe.skipIf(process.platform === 'win32')('when the disk takes only part of a write', () => {
  test('an append leaves the log at its former length', async () => {
    const main = await createIn(home.tree)
    const before = readFileSync(main.logPath)
    const result = await runLimited(4, ['rename', main.id, '20000'])
    expect(result).toMatchObject({ ok: false, error: { code: 'io_failed' } })
    expect(readFileSync(main.logPath)).toEqual(before)
    expect(valueOf(await home.tree.rename(main.id, 'after')).firstSeq).toBe(1)
  })

  test('a creation leaves nothing', async () => {
    const result = await runLimited(4, ['create', '20000'])
    expect(result).toMatchObject({ ok: false, error: { code: 'io_failed' } })
    expect(everything()).toEqual([])
  })
})

test('a creation killed half-way is seen by nobody, and swept by the next owner', async () => {
  const main = await createIn(home.tree)
  const big = sampleLog(main.id)
  big.turn('Count.', 'x'.repeat(60_000_000))
  writeAt(main.logPath, big.text())
  const child = spawn(process.execPath, [PROCESS, home.root, 'fork', main.id], { stdio: 'ignore' })
  const forks = join(main.directory, 'forks')
  const unpublished = () => (existsSync(forks) ? readdirSync(forks).filter((name) => name.startsWith('.new-')) : [])
  while (unpublished().length === 0 && child.exitCode === null) await new Promise(setImmediate)
  child.kill('SIGKILL')
  await once(child, 'close')
  expect(unpublished()).toHaveLength(1)
  expect(await allOf(home.tree.places())).toEqual([main])
  expect(valueOf(await home.tree.view(main.id)).forks).toEqual([])
  expect(await sweepUnpublished(home.root)).toEqual([expect.stringContaining(join('forks', '.new-'))])
  expect(everything()).toEqual([main.id, join(main.id, 'session.jsonl')])
})

test('sweeping leaves everything that is published', async () => {
  const main = await createIn(home.tree)
  await forkOf(home.tree, main.id)
  mkdirSync(join(main.directory, 'forks', '.new-left-behind'))
  mkdirSync(join(home.root, '.new-left-behind'))
  const published = everything().filter((path) => !path.includes('.new-'))
  expect(await sweepUnpublished(home.root)).toHaveLength(2)
  expect(everything()).toEqual(published)
  expect(await sweepUnpublished(join(home.folder, 'nowhere'))).toEqual([])
})
