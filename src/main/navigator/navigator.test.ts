import { execFile } from 'node:child_process'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LiveState } from '../../shared/agent-view.ts'
import type { NavigatorPatch, NavigatorSnapshot, SessionSummary } from '../../shared/navigator-view.ts'
import type { Pushes } from '../../shared/bridge.ts'
import type { SessionId } from '../../shared/session-id.ts'
import { newSessionId } from '../session-tree/session-id.ts'
import { createGitWorktrees } from '../worktrees/git-worktrees.ts'
import { createNavigator, type Navigator } from './navigator.ts'
import { treeOnDisk, type TreeOnDisk } from './testing/tree-on-disk.ts'

const git = promisify(execFile)

let disk: TreeOnDisk
let navigator: Navigator
let patches: NavigatorPatch[]
let grown: Pushes['log_changed'][]
let liveTold: Pushes['live_changed'][]
let waiting: (() => void)[]

beforeEach(async () => {
  disk = await treeOnDisk()
  patches = []
  grown = []
  liveTold = []
  waiting = []
  navigator = createNavigator({
    home: disk.home,
    tree: disk.tree,
    worktrees: createGitWorktrees({ home: disk.home }),
    onPatch: (patch) => {
      patches.push(patch)
      for (const resolve of waiting.splice(0)) resolve()
    },
    onLogChanged: (change) => grown.push(change),
    onLiveChanged: (change) => liveTold.push(change),
  })
})
afterEach(async () => {
  navigator.stop()
  await disk.remove()
})

/** Takes in everything on disk, as the watcher's first look does. */
async function takeAll(): Promise<NavigatorSnapshot> {
  for await (const place of disk.tree.places()) await navigator.put(await disk.tree.facts(place))
  // On a busy machine a folder may take longer than a row waits for it.
  await navigator.lookAtFolders()
  navigator.complete()
  return navigator.snapshot()
}

function nextPatch(): Promise<NavigatorPatch | undefined> {
  return new Promise<void>((resolve) => waiting.push(resolve)).then(() => patches.at(-1))
}

function row(snapshot: NavigatorSnapshot, id: SessionId): SessionSummary | undefined {
  return snapshot.sessions.find((session) => session.session_id === id)
}

async function repository(name: string): Promise<string> {
  const path = await disk.folder(name)
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org']
  await git('git', ['init', '-q', '-b', 'trunk', path])
  await writeFile(join(path, 'a.txt'), 'a')
  await git('git', ['-C', path, 'add', '.'])
  await git('git', ['-C', path, ...identity, 'commit', '-q', '-m', 'one'])
  return path
}

it('tells nothing where a session is looked at and is as it was', async () => {
  const main = await disk.add({ kind: 'main', cwd: await disk.folder('app') })
  await takeAll()
  await nextPatch()
  patches.length = 0
  await navigator.details(main.id)
  // Behind it in the queue: had the look been news, its row would come with this.
  navigator.notice({ id: 'git', message: 'x' })
  expect((await nextPatch())?.changed).toEqual([])
})

describe('live agents', () => {
  it('are seen in rows, in the roll-up and in details, and what they ask is told for the session it stands below', async () => {
    const cwd = await disk.folder('app')
    const main = await disk.add({ kind: 'main', cwd })
    const helper = await disk.add({ kind: 'subagent', parent: main.id, cwd })
    const below = await disk.add({ kind: 'subagent', parent: helper.id, cwd })
    await takeAll()
    const request = { id: 'r1', title: 'Run it?', options: [{ id: 'no', label: 'Reject', kind: 'reject' as const }] }
    const states = new Map<SessionId, LiveState>([
      [main.id, { state: 'queued', requests: [] }],
      [helper.id, { state: 'idle', requests: [] }],
      [below.id, { state: 'running', requests: [request] }],
    ])
    navigator.open(main.id)
    navigator.followAgents({ status: (id) => states.get(id), trouble: () => undefined })
    expect(liveTold).toContainEqual({ session_id: main.id })
    expect(row(navigator.snapshot(), main.id)).toMatchObject({
      status: 'cold',
      queued: true,
      subagents: { count: 2, worst: 'running', needs_you: true },
    })
    const details = await navigator.details(main.id)
    expect(details).toMatchObject({
      value: {
        live: { state: 'queued' },
        subagents: [{ status: 'idle', subagents: [{ status: 'running', needs_you: true }] }],
      },
    })
    expect(navigator.below(main.id).map(({ place }) => place.id)).toEqual([helper.id, below.id])
    states.clear()
    navigator.agentChanged(below.id)
    const quiet = row(navigator.snapshot(), main.id)
    expect(quiet).not.toHaveProperty('queued')
    expect(quiet?.subagents).toEqual({ count: 2, worst: 'cold' })
  })

  it('does not hide that the last turn failed while its agent lives on', async () => {
    const main = await disk.add({ kind: 'main', cwd: await disk.folder('app') })
    const reason = { kind: 'error', error: { message: 'no credit', code: 'agent_failed' } }
    await disk.tree.appendNext(main.id, [
      { type: 'turn/start', time: 1_700_000_100_000, data: { turn: 1 } },
      { type: 'step/start', time: 1_700_000_100_001, data: { turn: 1, step: 1 } },
      { type: 'step/end', time: 1_700_000_100_002, data: { turn: 1, step: 1 } },
      { type: 'turn/end', time: 1_700_000_100_003, data: { turn: 1, reason } },
    ])
    await takeAll()
    let state: LiveState = { state: 'idle', requests: [] }
    navigator.followAgents({ status: () => state, trouble: () => undefined })
    const status = () => row(navigator.snapshot(), main.id)?.status
    expect(status()).toBe('failed')
    state = { state: 'running', requests: [] }
    expect(status()).toBe('running')
  })
})

describe('rows', () => {
  it('are mains and forks, never subagents, whose number and worst state is counted down to forks', async () => {
    const cwd = await disk.folder('app')
    const main = await disk.add({ kind: 'main', cwd, title: 'The main' })
    await disk.turn(main.id, 1)
    const fork = await disk.fork(main.id, { prompt: 'Another way' })
    const first = await disk.add({ kind: 'subagent', parent: main.id, cwd })
    await disk.add({ kind: 'subagent', parent: first.id, cwd })
    const ofFork = await disk.add({ kind: 'subagent', parent: fork.id, cwd })
    const snapshot = await takeAll()
    expect(snapshot.complete).toBe(true)
    expect(snapshot.sessions.map((session) => session.session_id).toSorted()).toEqual([main.id, fork.id].toSorted())
    expect(row(snapshot, main.id)).toMatchObject({
      kind: 'main',
      title: 'The main',
      prompt: 'Do it',
      root_session_id: main.id,
      status: 'cold',
      cwd,
      group: { key: cwd, kind: 'folder', name: 'app' },
      subagents: { count: 2, worst: 'cold' },
      waiting: true,
    })
    expect(row(snapshot, fork.id)).toMatchObject({
      kind: 'fork',
      parent_session_id: main.id,
      root_session_id: main.id,
      prompt: 'Another way',
      subagents: { count: 1 },
    })
    expect(ofFork.kind).toBe('subagent')
  })

  it('stay with their reason where the log is missing or odd; odd subagents go to the list', async () => {
    const cwd = await disk.folder('app')
    const gone = await disk.add({ kind: 'main', cwd })
    const odd = await disk.add({ kind: 'main', cwd })
    const sound = await disk.add({ kind: 'main', cwd })
    const helper = await disk.add({ kind: 'subagent', parent: sound.id, cwd })
    await rm(gone.logPath)
    await writeFile(odd.logPath, 'not a header\n')
    await writeFile(helper.logPath, '')
    const snapshot = await takeAll()
    expect(row(snapshot, gone.id)).toMatchObject({ status: 'missing', problem: { code: 'log_missing' } })
    expect(row(snapshot, odd.id)).toMatchObject({ status: 'failed', problem: { path: odd.logPath } })
    expect(row(snapshot, sound.id)).toMatchObject({ status: 'cold', subagents: { count: 1, worst: 'failed' } })
    expect(snapshot.unreadable).toEqual([
      { session_id: helper.id, path: helper.logPath, message: expect.stringContaining(helper.logPath) },
    ])
  })

  it('stand under their repository, wherever in it they work', async () => {
    const app = await repository('app')
    await mkdir(join(app, 'pkg', 'deep'), { recursive: true })
    const inside = await disk.add({ kind: 'main', cwd: join(app, 'pkg', 'deep') })
    const recorded = await disk.add({ kind: 'main', cwd: app })
    await disk.turn(recorded.id, 1)
    const worktree = { path: join(disk.home, 'w'), branch: 'treeline/w', base: '0'.repeat(40), repository: app }
    const fork = await disk.fork(recorded.id, { cwd: worktree.path, worktree })
    const snapshot = await takeAll()
    const group = { key: app, kind: 'repository', name: 'app' }
    for (const id of [inside.id, recorded.id, fork.id]) expect(row(snapshot, id)?.group).toEqual(group)
    expect(row(snapshot, fork.id)?.warning?.kind).toBe('worktree_missing')
  })

  it('are right when a menu or a fork is asked for, though nobody noticed that their folder went', async () => {
    const cwd = await disk.folder('app')
    const main = await disk.add({ kind: 'main', cwd })
    await takeAll()
    await rm(cwd, { recursive: true })
    // Polled: on a busy machine a folder may take longer than a menu waits for it.
    await expect
      .poll(() => navigator.summary(main.id))
      .toMatchObject({ value: { warning: { kind: 'folder_missing' } } })
    await mkdir(cwd)
    await navigator.forkPreview(main.id, { worktree: false, prompt: 'Go', forkId: newSessionId() })
    await expect.poll(() => row(navigator.snapshot(), main.id)).not.toHaveProperty('warning')
  })

  it('carry a warning while their folder is gone, keep their state, and lose it when it is back', async () => {
    const cwd = await disk.folder('app')
    const main = await disk.add({ kind: 'main', cwd })
    const foreign = await disk.add({ kind: 'main', cwd: process.platform === 'win32' ? '/home/dev' : 'C:\\Users\\dev' })
    const first = await takeAll()
    expect(row(first, main.id)).not.toHaveProperty('warning')
    expect(row(first, foreign.id)).toMatchObject({
      warning: { kind: 'folder_missing' },
      cwd: process.platform === 'win32' ? '/home/dev' : 'C:\\Users\\dev',
      group: { name: 'dev' },
    })
    await rename(cwd, `${cwd}-moved`)
    const told = nextPatch()
    await navigator.lookAtFolders()
    expect((await told)?.changed.map((session) => session.session_id)).toContain(main.id)
    expect(row(navigator.snapshot(), main.id)).toMatchObject({ status: 'cold', warning: { kind: 'folder_missing' } })
    await rename(`${cwd}-moved`, cwd)
    navigator.open(main.id)
    await nextPatch()
    expect(row(navigator.snapshot(), main.id)).not.toHaveProperty('warning')
  })
})

describe('patches', () => {
  it('hold a row once for all that happened to it, and the rows above a subagent', async () => {
    const cwd = await disk.folder('app')
    const main = await disk.add({ kind: 'main', cwd })
    await takeAll()
    await nextPatch()
    const helper = await disk.add({ kind: 'subagent', parent: main.id, cwd })
    for (const turn of [1, 2, 3]) {
      await disk.turn(helper.id, turn)
      await navigator.put(await disk.tree.facts(helper))
    }
    const patch = await nextPatch()
    expect(patch?.changed).toMatchObject([{ session_id: main.id, subagents: { count: 1 } }])
  })

  it('take away a session with everything below it', async () => {
    const cwd = await disk.folder('app')
    const main = await disk.add({ kind: 'main', cwd })
    await disk.turn(main.id, 1)
    const fork = await disk.fork(main.id)
    const helper = await disk.add({ kind: 'subagent', parent: fork.id, cwd })
    await takeAll()
    await nextPatch()
    navigator.remove(main.id)
    const patch = await nextPatch()
    expect(patch?.removed.toSorted()).toEqual([main.id, fork.id, helper.id].toSorted())
    expect(navigator.snapshot().sessions).toEqual([])
  })

  it('bring what does not fit into the first answer, in bearable pieces, and say when all is there', async () => {
    const cwd = await disk.folder('app')
    const main = await disk.add({ kind: 'main', cwd })
    const facts = await disk.tree.facts(main)
    for (let n = 0; n < 1200; n += 1) {
      const id = newSessionId()
      await navigator.put({ ...facts, place: { ...facts.place, id }, updatedAt: n })
    }
    navigator.complete()
    const snapshot = navigator.snapshot()
    expect(snapshot).toMatchObject({ complete: false })
    expect(snapshot.sessions).toHaveLength(500)
    expect(snapshot.sessions[0]?.updated_at).toBe(1199)
    while (patches.at(-1)?.complete !== true) await nextPatch()
    expect(patches.every((patch) => patch.changed.length <= 500)).toBe(true)
    const seen = new Set(
      [...snapshot.sessions, ...patches.flatMap((patch) => patch.changed)].map((each) => each.session_id),
    )
    expect(seen.size).toBe(1200)
  })

  it('carry notices, each once, until they are withdrawn', async () => {
    navigator.notice({ id: 'home', message: 'Another process has it.' })
    navigator.notice({ id: 'home', message: 'Another process has it.' })
    expect((await nextPatch())?.notices).toEqual([{ id: 'home', message: 'Another process has it.' }])
    navigator.withdraw('home')
    expect((await nextPatch())?.notices).toEqual([])
  })
})

describe('the open session', () => {
  it('is told when its log grows, shrinks or is replaced, and no other', async () => {
    const cwd = await disk.folder('app')
    const main = await disk.add({ kind: 'main', cwd })
    const other = await disk.add({ kind: 'main', cwd })
    await takeAll()
    navigator.open(main.id)
    grown.length = 0
    await disk.turn(main.id, 1)
    await disk.turn(other.id, 1)
    for (const place of [main, other]) await navigator.put(await disk.tree.facts(place))
    await navigator.put(await disk.tree.facts(main))
    const { file } = await disk.tree.facts(main)
    expect(grown).toEqual([{ session_id: main.id, size: file?.size, inode: file?.inode }])
  })

  it('is told of what was written after the window had read it and before it was known to be open', async () => {
    const main = await disk.add({ kind: 'main', cwd: await disk.folder('app') })
    await takeAll()
    const read = await navigator.readLog(main.id, { lines: 200 })
    await disk.turn(main.id, 1)
    // As the head of the session is read: the growth is seen, and is nobody's business yet.
    await navigator.details(main.id)
    expect(grown).toEqual([])
    navigator.open(main.id)
    const { file } = await disk.tree.facts(main)
    expect(grown).toEqual([{ session_id: main.id, size: file?.size, inode: file?.inode }])
    expect(read.ok && read.value.to).toBeLessThan(file?.size ?? 0)
    navigator.open(main.id)
    expect(grown).toHaveLength(1)
  })

  it('has its way down, its model, what it was forked from, and its subagents nested', async () => {
    const cwd = await disk.folder('app')
    const main = await disk.add({ kind: 'main', cwd, title: 'The main' })
    await disk.turn(main.id, 1)
    await disk.turn(main.id, 2)
    const fork = await disk.fork(main.id, { title: 'The fork' })
    const helper = await disk.add({ kind: 'subagent', parent: fork.id, cwd, prompt: 'Look\n  for it' })
    const below = await disk.add({ kind: 'subagent', parent: helper.id, cwd, title: 'Deeper' })
    await takeAll()
    const details = await navigator.details(fork.id)
    expect(details).toMatchObject({
      ok: true,
      value: {
        summary: { session_id: fork.id, kind: 'fork' },
        session_path: fork.logPath,
        model: 'deepseek-v4',
        breadcrumb: [
          { session_id: main.id, kind: 'main', name: 'The main' },
          { session_id: fork.id, kind: 'fork', name: 'The fork' },
        ],
        forkedFrom: { session_id: main.id, name: 'The main', turn: 2, step: 1 },
        subagents: [
          {
            session_id: helper.id,
            name: 'Look for it',
            subagents: [{ session_id: below.id, name: 'Deeper', subagents: [] }],
          },
        ],
      },
    })
    const deep = await navigator.details(below.id)
    expect(deep.ok && deep.value.breadcrumb.map((part) => part.kind)).toEqual(['main', 'fork', 'subagent', 'subagent'])
  })

  it('is read in pages and by the line, also before anything else was looked at', async () => {
    const main = await disk.add({ kind: 'main', cwd: await disk.folder('app') })
    await disk.turn(main.id, 1)
    const page = await navigator.readLog(main.id, { lines: 50 })
    if (!page.ok) throw new Error(page.error.message)
    expect(page.value).toMatchObject({ session_id: main.id, atEnd: true })
    const last = page.value.lines.at(-1)
    const line = await navigator.readLine(main.id, last?.offset ?? 0)
    expect(line.ok && JSON.parse(line.value)).toMatchObject({ type: 'turn/end' })
    expect(await navigator.readLine(main.id, (last?.offset ?? 0) + 1)).toMatchObject({
      ok: false,
      error: { code: 'invalid_request' },
    })
    expect(await navigator.readLine(main.id, 1e9)).toMatchObject({ ok: false, error: { code: 'invalid_request' } })
    expect(await navigator.details(newSessionId())).toMatchObject({ ok: false, error: { code: 'unknown_session' } })
  })
})

describe('what a fork would be', () => {
  const request = { worktree: false, prompt: 'Try it', forkId: newSessionId() }

  it('inherits what is complete, says so where a step is left out, and writes nothing', async () => {
    const cwd = await disk.folder('app')
    const main = await disk.add({ kind: 'main', cwd })
    await disk.turn(main.id, 1)
    const whole = await navigator.forkPreview(main.id, request)
    expect(whole).toMatchObject({ ok: true, value: { turn: 1, step: 1, leavesOutOpenStep: false, cwd } })
    await disk.tree.appendNext(main.id, [
      { type: 'turn/start', time: 1_700_000_100_000, data: { turn: 2 } },
      { type: 'step/start', time: 1_700_000_100_000, data: { turn: 2, step: 1 } },
    ])
    expect(await navigator.forkPreview(main.id, request)).toMatchObject({
      ok: true,
      value: { events: whole.ok ? whole.value.events : -1, leavesOutOpenStep: true },
    })
  })

  it('shows the worktree that would be made, from what is checked out', async () => {
    const cwd = await repository('app')
    await writeFile(join(cwd, 'b.txt'), 'not committed')
    const main = await disk.add({ kind: 'main', cwd })
    await disk.turn(main.id, 1)
    const preview = await navigator.forkPreview(main.id, { ...request, worktree: true, title: 'Use full jitter' })
    if (!preview.ok) throw new Error(preview.error.message)
    expect(preview.value.cwd).toBe(preview.value.worktree?.path)
    expect(preview.value.worktree).toMatchObject({
      branch: expect.stringContaining('use-full-jitter'),
      startsAt: 'trunk',
      uncommitted: 1,
    })
    const branches = await git('git', ['-C', cwd, 'branch', '--format=%(refname:short)'])
    expect(branches.stdout.trim()).toBe('trunk')
  })

  it.each([
    ['a repository', 'not_a_repository', true],
    ['its folder', 'cwd_missing', false],
  ] as const)('is refused in words without %s', async (_name, code, folderIsThere) => {
    const cwd = await disk.folder('plain')
    const main = await disk.add({ kind: 'main', cwd })
    if (!folderIsThere) await rm(cwd, { recursive: true })
    expect(await navigator.forkPreview(main.id, { ...request, worktree: true })).toMatchObject({
      ok: false,
      error: { code },
    })
  })

  it('is refused for a fork and for a log that cannot be trusted', async () => {
    const main = await disk.add({ kind: 'main', cwd: await disk.folder('app') })
    await disk.turn(main.id, 1)
    const fork = await disk.fork(main.id)
    expect(await navigator.forkPreview(fork.id, request)).toMatchObject({
      ok: false,
      error: { code: 'fork_needs_main' },
    })
    await writeFile(main.logPath, '{"type":"ses')
    expect((await navigator.forkPreview(main.id, request)).ok).toBe(false)
  })
})

it('forgets a session whose folder went away, once it is asked for', async () => {
  const main = await disk.add({ kind: 'main', cwd: await disk.folder('app') })
  await takeAll()
  await rm(dirname(main.logPath), { recursive: true })
  expect(await navigator.look(main.id)).toMatchObject({ ok: false, error: { code: 'unknown_session' } })
  expect(navigator.snapshot().sessions).toEqual([])
})
