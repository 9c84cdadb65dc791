import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SessionId } from '../../shared/session-id.ts'
import type { Caller } from './caller.ts'
import {
  HOST,
  idOf,
  linesOf,
  makeChild,
  makeMain,
  makeTestHome,
  noWorktrees,
  openStep,
  session,
  snapshotOf,
  valueOf,
  work,
  type TestHome,
} from './testing/test-home.ts'
import { createTools } from './tools.ts'

let home: TestHome
let main: SessionId
let fork: SessionId
let subagent: SessionId
let nested: SessionId

beforeEach(async () => {
  home = await makeTestHome()
  main = await makeMain(home)
  fork = idOf((await makeChild(home, main, { fork: true })).session_id)
  subagent = idOf((await makeChild(home, main)).session_id)
  nested = idOf((await makeChild(home, subagent)).session_id)
})
afterEach(() => home.remove())

const acting = (id: SessionId): Caller => ({ kind: 'host', as: id })

const create = (request: unknown, caller: Caller) => home.tools.session_create(request, caller)

async function lines(id: SessionId): Promise<Record<string, unknown>[]> {
  const { logPath } = valueOf(await home.tree.locate(id))
  return linesOf(await readFile(logPath, 'utf8'))
}

/** Refused with this error, and not a byte of the home is different. */
async function refuses(request: unknown, caller: Caller, error: object): Promise<void> {
  const before = await snapshotOf(home.paths.home)
  expect(await create(request, caller)).toMatchObject({ ok: false, error })
  expect(await snapshotOf(home.paths.home)).toEqual(before)
}

describe('every row of the creation table', () => {
  it('a main makes a subagent in its own folder', async () => {
    const made = valueOf(await create({ prompt: 'Go' }, session(main)))
    expect(made).toEqual({
      session_id: expect.stringMatching(/^session-[0-9a-f-]{36}$/),
      kind: 'subagent',
      accepted: true,
      status: 'queued',
      parent_session_id: main,
      root_session_id: main,
      cwd: home.cwd,
    })
    const place = valueOf(await home.tree.locate(idOf(made.session_id)))
    expect(place.directory).toBe(join(home.paths.tree, main, 'subagents', made.session_id))
    const [header] = await lines(idOf(made.session_id))
    expect(header).toMatchObject({ kind: 'subagent', parent_session_id: main, root_session_id: main, cwd: home.cwd })
  })

  it('a main makes a subagent in the folder that is asked for', async () => {
    const cwd = join(home.cwd, 'packages ü')
    await mkdir(cwd)
    expect(valueOf(await create({ prompt: 'Go', cwd }, session(main))).cwd).toBe(cwd)
  })

  it('a main makes a fork in its own folder, without a worktree', async () => {
    const made = valueOf(await create({ prompt: 'Go', fork: true, worktree: false }, session(main)))
    expect(made).toMatchObject({ kind: 'fork', parent_session_id: main, root_session_id: main, cwd: home.cwd })
    expect(made).not.toHaveProperty('worktree')
    const place = valueOf(await home.tree.locate(idOf(made.session_id)))
    expect(place.directory).toBe(join(home.paths.tree, main, 'forks', made.session_id))
  })

  it.each(['fork', 'subagent', 'nested'] as const)('a %s makes a subagent of its own', async (kind) => {
    const creator = { fork, subagent, nested }[kind]
    for (const request of [{ prompt: 'Go' }, { prompt: 'Go', fork: false, worktree: false }]) {
      const made = valueOf(await create(request, session(creator)))
      expect(made).toMatchObject({ kind: 'subagent', parent_session_id: creator, root_session_id: main, cwd: home.cwd })
    }
  })

  it('the host makes a main where it says', async () => {
    const made = valueOf(await create({ prompt: 'Go', cwd: home.cwd }, HOST))
    expect(made).toEqual({
      session_id: made.session_id,
      kind: 'main',
      accepted: true,
      status: 'queued',
      root_session_id: made.session_id,
      cwd: home.cwd,
    })
  })

  it('the host acts for a session, with the rights of that session', async () => {
    expect(valueOf(await create({ prompt: 'Go', fork: true }, acting(main)))).toMatchObject({ kind: 'fork' })
    expect(valueOf(await create({ prompt: 'Go' }, acting(nested)))).toMatchObject({ parent_session_id: nested })
    await refuses({ prompt: 'Go', fork: true }, acting(nested), { code: 'fork_needs_main' })
  })
})

describe('what is refused changes nothing', () => {
  it.each(['main', 'fork', 'subagent', 'nested'] as const)('a worktree without a fork, by a %s', (kind) =>
    refuses({ prompt: 'Go', worktree: true }, session({ main, fork, subagent, nested }[kind]), {
      code: 'worktree_needs_fork',
      field: 'worktree',
    }),
  )

  it.each(['fork', 'subagent', 'nested'] as const)('a fork by a %s, in a worktree or not', async (kind) => {
    const caller = session({ fork, subagent, nested }[kind])
    await refuses({ prompt: 'Go', fork: true }, caller, { code: 'fork_needs_main', field: 'fork' })
    await refuses({ prompt: 'Go', fork: true, worktree: true }, caller, { code: 'fork_needs_main', field: 'fork' })
  })

  it('a fork of nobody in particular', async () => {
    const error = { code: 'fork_needs_main', field: 'fork' }
    await refuses({ prompt: 'Go', fork: true, cwd: home.cwd }, HOST, error)
    await refuses({ prompt: 'Go', fork: true, worktree: true, cwd: home.cwd }, HOST, error)
  })

  it('a main, where the host does not permit one', async () => {
    const parts = { tree: home.tree, worktrees: noWorktrees, pendingFolder: home.paths.pending }
    const before = await snapshotOf(home.paths.home)
    for (const permission of [{}, { rootCreationPermitted: false }]) {
      const tools = createTools({ ...parts, ...permission })
      expect(await tools.session_create({ prompt: 'Go', cwd: home.cwd }, HOST)).toMatchObject({
        ok: false,
        error: { code: 'root_creation_not_permitted' },
      })
    }
    expect(await snapshotOf(home.paths.home)).toEqual(before)
    const permitted = createTools({ ...parts, rootCreationPermitted: true })
    expect(await permitted.session_create({ prompt: 'Go', cwd: home.cwd }, HOST)).toMatchObject({ ok: true })
  })

  it('a main without a folder', () => refuses({ prompt: 'Go' }, HOST, { code: 'invalid_request', field: 'cwd' }))

  it.each([
    'relative',
    './project',
    '..',
    '~/project',
    'C:\\Users\\dev',
    '\\\\wsl.localhost\\Ubuntu\\home',
    '\\home\\dev',
    'file:///tmp',
  ])('a folder that is not absolute here: %s', async (cwd) => {
    for (const caller of [session(main), session(nested), HOST]) {
      await refuses({ prompt: 'Go', cwd }, caller, { code: 'cwd_not_absolute', field: 'cwd' })
    }
  })

  it('a folder that is not there, a file, an impossible path', async () => {
    const file = join(home.cwd, 'file')
    await writeFile(file, '')
    for (const cwd of [join(home.cwd, 'gone'), file, join(file, 'below'), '/a\0b', `/${'x'.repeat(5000)}`]) {
      await refuses({ prompt: 'Go', cwd }, session(main), { code: 'cwd_missing', field: 'cwd' })
    }
  })

  it.each([
    ['prompt', { prompt: '' }],
    ['prompt', { prompt: ' \n' }],
    ['prompt', {}],
    ['title', { prompt: 'Go', title: ' ' }],
    ['preset', { prompt: 'Go', preset: '' }],
    ['model.provider', { prompt: 'Go', model: { provider: '', model: 'm' } }],
    ['model.model', { prompt: 'Go', model: { provider: 'p', model: ' ' } }],
    ['session_name', { prompt: 'Go', session_name: 'x' }],
    ['as', { prompt: 'Go', as: 'session-1' }],
    ['parent_session_id', { prompt: 'Go', parent_session_id: 'session-1' }],
  ])('an unsound %s: %j', (field, request) => refuses(request, session(main), { code: 'invalid_request', field }))

  it('a caller that is nowhere', async () => {
    await refuses({ prompt: 'Go' }, session('session-404'), { code: 'unknown_session' })
    await refuses({ prompt: 'Go' }, { kind: 'host', as: idOf('session-404') }, { code: 'unknown_session', field: 'as' })
  })

  it('a child of a session whose header and folder disagree', async () => {
    const { logPath } = valueOf(await home.tree.locate(subagent))
    await writeFile(logPath, (await readFile(logPath, 'utf8')).replace('"kind":"subagent"', '"kind":"fork"'))
    await refuses({ prompt: 'Go' }, session(subagent), { code: 'layout_mismatch' })
  })
})

describe('a folder that is gone (F10)', () => {
  it('is refused in words, not replaced and not made', async () => {
    await rename(home.cwd, `${home.cwd}-renamed`)
    const error = { code: 'cwd_missing', field: 'cwd', message: expect.stringContaining(home.cwd) }
    await refuses({ prompt: 'Go' }, session(main), error)
    await refuses({ prompt: 'Go', fork: true }, session(main), error)
    const elsewhere = `${home.cwd}-renamed`
    expect(valueOf(await create({ prompt: 'Go', cwd: elsewhere }, session(main))).cwd).toBe(elsewhere)
  })

  it.each([
    ['C:\\\\Users\\\\dev\\\\orchard', 'cwd_not_absolute'],
    ['orchard', 'cwd_not_absolute'],
    ['', 'cwd_missing'],
  ])('is refused where the parent records %j', async (recorded, code) => {
    const { logPath } = valueOf(await home.tree.locate(main))
    const log = await readFile(logPath, 'utf8')
    await writeFile(logPath, log.replace(`"cwd":${JSON.stringify(home.cwd)}`, `"cwd":"${recorded}"`))
    await refuses({ prompt: 'Go' }, session(main), { code, field: 'cwd' })
  })

  it('is refused where the parent records none', async () => {
    const { logPath } = valueOf(await home.tree.locate(main))
    const log = await readFile(logPath, 'utf8')
    await writeFile(logPath, log.replace(`,"cwd":${JSON.stringify(home.cwd)}`, ''))
    await refuses({ prompt: 'Go' }, session(main), { code: 'cwd_missing', field: 'cwd' })
  })
})

describe('what a child begins with', () => {
  it('has its whole prompt in its own inbox and nowhere else (F03)', async () => {
    const prompt = 'First line 🌳\nsecond line\n\nfourth "line"'
    const before = await snapshotOf(home.paths.tree)
    const made = valueOf(await create({ prompt, fork: true, title: 'Sieve' }, session(main)))
    const log = await lines(idOf(made.session_id))
    expect(JSON.stringify(log)).toContain(JSON.stringify(prompt).slice(1, -1))
    const after = await snapshotOf(home.paths.tree)
    const logs = (seen: Record<string, string>) =>
      Object.fromEntries(
        Object.entries(seen).filter(([path]) => path.endsWith('.jsonl') && !path.includes(made.session_id)),
      )
    expect(logs(after)).toEqual(logs(before))
  })

  it('takes over the preset of its parent, or has the one asked for; a model is kept', async () => {
    const parent = valueOf(await create({ prompt: 'Go', preset: 'claude' }, session(main)))
    const child = valueOf(await create({ prompt: 'Go' }, session(parent.session_id)))
    const model = { provider: 'deepseek', model: 'v4', reasoningEffort: 'high' }
    const other = valueOf(await create({ prompt: 'Go', preset: 'dsh', model }, session(parent.session_id)))
    expect((await lines(idOf(child.session_id)))[0]).toMatchObject({ agentPreset: 'claude' })
    expect((await lines(idOf(other.session_id)))[0]).toMatchObject({ agentPreset: 'dsh' })
    expect(JSON.stringify(await lines(idOf(other.session_id)))).toContain(JSON.stringify(model))
  })

  it('of a fork is the parent up to its last completed step, and nothing of the open one', async () => {
    await work(home.tree, main, 2)
    const complete = await lines(main)
    valueOf(await home.tree.appendNext(main, openStep(3)))
    const made = valueOf(await create({ prompt: 'Go', fork: true }, session(main)))
    const [header, ...events] = await lines(idOf(made.session_id))
    const lastEnd = complete.findLastIndex((event) => event['type'] === 'turn/end')
    expect(header).toMatchObject({ kind: 'fork', seedLength: lastEnd })
    expect(events.slice(0, lastEnd)).toEqual(complete.slice(1, lastEnd + 1))
    expect(events.slice(lastEnd).map(({ type }) => type)).not.toContain('step/start')
  })

  it('of a fork of a log whose boundary is in doubt is nothing: it is refused', async () => {
    const { logPath } = valueOf(await home.tree.locate(main))
    const log = (await readFile(logPath, 'utf8')).split('\n')
    await writeFile(logPath, log.toSpliced(2, 1).join('\n'))
    await refuses({ prompt: 'Go', fork: true }, session(main), { code: 'ambiguous_boundary' })
  })
})

describe('a cancelled creation', () => {
  it('leaves nothing', async () => {
    const before = await snapshotOf(home.paths.home)
    const options = { signal: AbortSignal.abort() }
    for (const request of [{ prompt: 'Go' }, { prompt: 'Go', fork: true }]) {
      const cancelled = await home.tools.session_create(request, session(main), options)
      expect(cancelled).toMatchObject({ ok: false, error: { code: 'cancelled' } })
    }
    expect(await snapshotOf(home.paths.home)).toEqual(before)
  })
})

describe('many creations at once', () => {
  it('make as many sessions, each once', async () => {
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, number) =>
        create({ prompt: `Tree ${number}` }, session(number % 2 ? main : fork)),
      ),
    )
    const ids = made.map((result) => valueOf(result).session_id)
    expect(new Set(ids).size).toBe(20)
    for (const id of ids) expect(await home.tree.locate(idOf(id))).toMatchObject({ ok: true })
    await rm(home.cwd, { recursive: true })
  })
})
