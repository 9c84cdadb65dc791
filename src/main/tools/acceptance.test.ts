import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { EventDraft } from '../../shared/session-event.ts'
import type { SessionId } from '../../shared/session-id.ts'
import type { SessionTreeView } from '../../shared/tools.ts'
import { createGit } from '../worktrees/git.ts'
import { createGitWorktrees } from '../worktrees/git-worktrees.ts'
import { git, makeRepository, TEST_ENVIRONMENT } from '../worktrees/testing/test-git.ts'
import type { WorktreeProvider } from '../worktrees/worktree-provider.ts'
import { ACCEPTANCE as LINES } from './testing/acceptance-lines.ts'
import {
  HOST,
  idOf,
  makeChild,
  makeMain,
  makeTestHome,
  openStep,
  session,
  valueOf,
  type TestHome,
} from './testing/test-home.ts'

let home: TestHome
let worktrees: WorktreeProvider
let main: SessionId

beforeEach(async () => {
  home = await makeTestHome({
    plan: (request) => worktrees.plan(request),
    add: (plan, options) => worktrees.add(plan, options),
    undo: (plan) => worktrees.undo(plan),
  })
  // Neither below the repository nor below the home: nothing may count on where it is.
  const worktreePath = join(home.cwd, '..', 'somewhere else', '{slug}-{id}')
  worktrees = createGitWorktrees({
    home: home.paths.home,
    templates: () => ({ worktreePath, worktreeBranch: null }),
    git: createGit(TEST_ENVIRONMENT),
  })
  await makeRepository(home.cwd)
  main = await makeMain(home)
})
afterEach(() => home.remove())

const create = (request: object, caller: SessionId) =>
  home.tools.session_create({ prompt: 'Sieve the seeds', ...request }, session(caller))

const worktreesOf = async () =>
  (await git(home.cwd, 'worktree', 'list', '--porcelain')).split('\n').filter((line) => line.startsWith('worktree '))

async function logOf(id: string): Promise<string> {
  return readFile(valueOf(await home.tree.locate(idOf(id))).logPath, 'utf8')
}

function everySession(tree: SessionTreeView): SessionTreeView[] {
  return [tree, ...tree.forks.flatMap(everySession), ...tree.subagents.flatMap(everySession)]
}

describe('spec §7', () => {
  it(LINES.freshChild, async () => {
    const made = valueOf(await create({ fork: false, worktree: false }, main))
    expect(made).toMatchObject({ kind: 'subagent', accepted: true, status: 'queued', parent_session_id: main })
    const log = await logOf(made.session_id)
    expect(log).not.toContain('Plant the orchard')
    expect(log).toContain('Sieve the seeds')
  })

  it(LINES.onlyMain, async () => {
    const fork = idOf(valueOf(await create({ fork: true }, main)).session_id)
    const subagent = idOf(valueOf(await create({}, main)).session_id)
    for (const caller of [fork, subagent]) {
      expect(await create({ fork: true }, caller)).toMatchObject({ ok: false, error: { code: 'fork_needs_main' } })
    }
  })

  it(LINES.worktreeNeedsFork, async () => {
    const before = await worktreesOf()
    expect(await create({ worktree: true }, main)).toMatchObject({ ok: false, error: { code: 'worktree_needs_fork' } })
    valueOf(await create({}, main))
    valueOf(await create({ fork: true }, main))
    expect(await worktreesOf()).toEqual(before)
    valueOf(await create({ fork: true, worktree: true }, main))
    expect(await worktreesOf()).toHaveLength(before.length + 1)
  })

  it(LINES.boundary, async () => {
    const events = (await logOf(main)).trimEnd().split('\n').slice(1)
    const boundary = events.findLastIndex((line) => line.includes('"turn/end"'))
    valueOf(await home.tree.rename(main, 'A title after the boundary'))
    const fork = await logOf(valueOf(await create({ fork: true }, main)).session_id)
    expect(JSON.parse(fork.split('\n')[0] ?? '')).toMatchObject({ seedLength: boundary + 1 })
    expect(fork.split('\n').slice(1, boundary + 2)).toEqual(events.slice(0, boundary + 1))
    expect(fork).not.toContain('A title after the boundary')
  })

  it(LINES.nothingOpen, async () => {
    const call = { name: 'session_create', arguments: '{"prompt":"Sieve the seeds","fork":true}' }
    const message = {
      role: 'assistant',
      id: '00000001-0000-4000-8000-000000000006',
      content: [{ type: 'tool-call', id: 'call-1', ...call }],
      source: { kind: 'model', provider: 'example', model: 'example-small' },
    }
    const time = Date.now()
    const asked: EventDraft[] = [
      { type: 'assistant/message', time, data: { turn: 2, step: 1, message }, surfaceOp: 'append' },
      { type: 'tool/call', time, data: { turn: 2, step: 1, callId: 'call-1', ...call } },
    ]
    valueOf(await home.tree.appendNext(main, [...openStep(2), ...asked]))
    const fork = await logOf(valueOf(await create({ fork: true }, main)).session_id)
    expect(await logOf(main)).toContain('call-1')
    expect(fork).not.toContain('call-1')
    expect(fork).not.toContain('"turn":2')
  })

  it(LINES.restart, async () => {
    const fork = valueOf(await create({ fork: true }, main))
    await makeChild(home, idOf(fork.session_id))
    const { tree } = valueOf(await home.tools.session_status({}, session(main)))
    const program = join(import.meta.dirname, '../../cli/treeline.ts')
    const words = [program, '--home', home.paths.home, 'session', 'status', '--session', main]
    const { TREELINE_TOKEN: _token, ...env } = process.env
    const { stdout } = await promisify(execFile)(process.execPath, words, { env })
    expect(JSON.parse(stdout)).toEqual({ tree })
    expect(tree.forks[0]?.subagents[0]).toMatchObject({ parent_session_id: fork.session_id, root_session_id: main })
  })

  it(LINES.layout, async () => {
    const fork = valueOf(await create({ fork: true }, main)).session_id
    const ofFork = (await makeChild(home, idOf(fork))).session_id
    const subagent = (await makeChild(home, main)).session_id
    const nested = (await makeChild(home, idOf(subagent))).session_id
    const found = await readdir(home.paths.tree, { recursive: true })
    const logs = found.filter((name) => name.includes('session.jsonl')).toSorted()
    expect(logs).toEqual(
      [
        join(main, 'session.jsonl'),
        join(main, 'forks', fork, 'session.jsonl'),
        join(main, 'forks', fork, 'subagents', ofFork, 'session.jsonl'),
        join(main, 'subagents', subagent, 'session.jsonl'),
        join(main, 'subagents', subagent, 'subagents', nested, 'session.jsonl'),
      ].toSorted(),
    )
    for (const name of logs) {
      const text = await readFile(join(home.paths.tree, name), 'utf8')
      expect(text.endsWith('\n')).toBe(true)
      for (const line of text.trimEnd().split('\n')) expect(() => JSON.parse(line)).not.toThrow()
    }
  })

  it(LINES.provider, async () => {
    const made = valueOf(await create({ fork: true, worktree: true }, main))
    expect(made.worktree).toContain('somewhere else')
    expect(made.cwd).toBe(made.worktree)
    expect(await worktreesOf()).toContain(`worktree ${made.worktree}`)
    const { tree } = valueOf(await home.tools.session_status({ session_id: made.session_id }, HOST))
    expect(tree).toMatchObject({ worktree: made.worktree, cwd: made.worktree })
    expect(JSON.parse((await logOf(made.session_id)).split('\n')[0] ?? '')).toMatchObject({
      worktree: { path: made.worktree },
    })
  })

  it(LINES.nested, async () => {
    const fork = valueOf(await create({ fork: true }, main)).session_id
    const subagent = (await makeChild(home, main)).session_id
    const { tree, ...rest } = valueOf(await home.tools.session_status({}, session(main)))
    expect(rest).toEqual({})
    for (const each of everySession(tree)) {
      expect(each).toMatchObject({ forks: expect.any(Array), subagents: expect.any(Array) })
      for (const key of ['nodes', 'edges', 'children']) expect(each).not.toHaveProperty(key)
    }
    expect(tree.forks.map(({ session_id }) => session_id)).toEqual([fork])
    expect(tree.subagents.map(({ session_id }) => session_id)).toEqual([subagent])
  })

  it(LINES.outside, async () => {
    const stranger = await makeMain(home)
    const subagent = idOf((await makeChild(home, main)).session_id)
    for (const [viewer, target] of [
      [main, stranger],
      [stranger, subagent],
      [subagent, main],
    ] as const) {
      const seen = await home.tools.session_status({ session_id: target }, session(viewer))
      expect(seen).toMatchObject({ ok: false, error: { code: 'outside_tree' } })
    }
  })

  it(LINES.send, async () => {
    const child = (await makeChild(home, main)).session_id
    const sent = await home.tools.session_send({ session_id: child, message: 'Go on' }, session(main))
    expect(sent).toEqual({ ok: true, value: { session_id: child, accepted: true, status: 'queued' } })
    expect(await logOf(child)).toContain('Go on')
    const stranger = await makeMain(home)
    const refused = await home.tools.session_send({ session_id: child, message: 'No' }, session(stranger))
    expect(refused).toMatchObject({ ok: false, error: { code: 'outside_tree' } })
    expect(await logOf(child)).not.toContain('"No"')
  })

  // What needs the window is in e2e/acceptance.spec.ts.

  it(`${LINES.recursive}: created, seen and sent to at any depth`, async () => {
    let parent: SessionId = main
    for (let depth = 1; depth <= 5; depth += 1) {
      const child = await makeChild(home, parent, { prompt: `Depth ${depth}` })
      const sent = await home.tools.session_send({ session_id: child.session_id, message: 'Go on' }, session(parent))
      expect(sent).toMatchObject({ ok: true })
      expect(child).toMatchObject({ kind: 'subagent', root_session_id: main })
      parent = idOf(child.session_id)
    }
    const { tree } = valueOf(await home.tools.session_status({}, session(parent)))
    expect(everySession(tree)).toHaveLength(6)
  })

  it(LINES.threeTools, () => {
    expect(Object.keys(home.tools).toSorted()).toEqual(['session_create', 'session_send', 'session_status'])
  })

  it(LINES.ordinaryTools, async () => {
    await makeChild(home, idOf((await makeChild(home, main)).session_id))
    valueOf(await create({ fork: true }, main))
    const { tree } = valueOf(await home.tools.session_status({}, session(main)))
    const paths = everySession(tree).map(({ session_path }) => session_path ?? '')
    expect(paths).toHaveLength(4)
    for (const path of paths) {
      const { stdout } = await promisify(execFile)('grep', ['-c', '"type":"session"', path])
      expect(stdout).toBe('1\n')
    }
  })
})

const spec = join(import.meta.dirname, '../../../../shared/docs/session-tree-spec.md')

it.runIf(existsSync(spec))('no line of spec §7 is left out', async () => {
  const text = await readFile(spec, 'utf8')
  const lines = text
    .slice(text.indexOf('7. Acceptance criteria'))
    .split('\n')
    .filter((line) => line.startsWith('• '))
  expect(lines.map((line) => line.slice(2).replace(/[;.]$/, ''))).toEqual(Object.values(LINES))
})
