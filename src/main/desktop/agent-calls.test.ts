import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LiveState, SessionWork } from '../../shared/agent-view.ts'
import { parseSessionId, type SessionId } from '../../shared/session-id.ts'
import type { Home } from '../gateway/home.ts'
import { createNavigator, type Navigator } from '../navigator/navigator.ts'
import { valueOf } from '../tools/testing/test-home.ts'
import { treeOnDisk, type TreeOnDisk } from '../navigator/testing/tree-on-disk.ts'
import { homePaths, type HomePaths } from '../session-tree/home-paths.ts'
import { createGitWorktrees } from '../worktrees/git-worktrees.ts'
import { agentCalls } from './agent-calls.ts'
import type { HomeAccess } from './home-access.ts'
import { windowHome } from './window-home.ts'

// A person's hand on live agents: a real home, the shell, and an agent of its own process that speaks ACP.

const SCRIPTED = join(import.meta.dirname, '..', 'agents', 'testing', 'scripted-acp-agent.ts')

let disk: TreeOnDisk
let paths: HomePaths
let home: HomeAccess<Home>
let navigator: Navigator
let calls: ReturnType<typeof agentCalls>
let askedAt: (string | undefined)[]

beforeEach(async () => {
  disk = await treeOnDisk()
  paths = homePaths(disk.home)
  askedAt = []
  const worktrees = createGitWorktrees({ home: disk.home })
  navigator = createNavigator({
    home: disk.home,
    tree: disk.tree,
    worktrees,
    onPatch: () => undefined,
    onLogChanged: () => undefined,
  })
  home = windowHome({ paths, navigator, report: () => undefined, mayBegin: Promise.resolve(true) })
  valueOf(await home.home())
  await writePresets([
    {
      id: 'scripted',
      label: 'Scripted',
      kind: 'acp',
      command: process.execPath,
      args: ['--disable-warning=ExperimentalWarning', SCRIPTED],
      model: { provider: 'maker', model: 'large' },
      budget: 9000,
    },
    { id: 'broken', label: 'Broken', kind: 'acp' },
  ])
  calls = agentCalls({
    paths,
    tree: disk.tree,
    home,
    navigator,
    system: {
      chooseFolder: async (_title: string, startAt: string) => {
        askedAt.push(startAt)
        return undefined
      },
    },
  })
})
afterEach(async () => {
  navigator.stop()
  await home.close()
  await disk.remove()
})

async function writePresets(presets: readonly object[]): Promise<void> {
  await writeFile(paths.presets, JSON.stringify({ presets }, null, 2))
}

/** Makes a session through the home's own tools, as the window does. */
async function make(
  prompt: string,
  { preset, as, budget }: { preset?: string; as?: SessionId; budget?: number } = {},
): Promise<SessionId> {
  const { tools } = valueOf(await home.home())
  const caller = as === undefined ? ({ kind: 'host' } as const) : ({ kind: 'host', as } as const)
  const request = { prompt, ...(as === undefined && { cwd: disk.home }), ...(preset !== undefined && { preset }) }
  const made = valueOf(await tools.session_create(request, caller, budget === undefined ? {} : { budget }))
  const id = valueOf(parseSessionId(made.session_id))
  valueOf(await navigator.look(id))
  return id
}

const work = async (id: SessionId): Promise<SessionWork> => valueOf(await calls.work(id))

/** As the window is told. */
async function live(id: SessionId): Promise<LiveState | undefined> {
  return valueOf(await navigator.details(id)).live
}

/** Resolves once it holds. */
function until(holds: () => Promise<boolean>): Promise<void> {
  return expect.poll(holds, { timeout: 15_000, interval: 30 }).toBe(true)
}

const isIdle = (id: SessionId) => async () => (await live(id))?.state === 'idle'
const asks = (id: SessionId) => async () => (await live(id))?.requests.length === 1

describe('steering', () => {
  it('stops a turn, keeps what waits, and takes it back', async () => {
    const id = await make('echo begun; mkfifo gate; cat <>gate', { preset: 'shell' })
    await until(async () => (await live(id))?.state === 'running')
    const { tools } = valueOf(await home.home())
    valueOf(await tools.session_send({ session_id: id, message: 'touch taken' }, { kind: 'host' }))
    const [waiting] = (await work(id)).waiting
    expect(waiting?.text).toBe('touch taken')
    valueOf(await calls.withdraw(id, waiting?.id ?? ''))
    expect((await work(id)).waiting).toEqual([])
    expect(await calls.withdraw(id, waiting?.id ?? '')).toMatchObject({ ok: false, error: { code: 'invalid_request' } })
    valueOf(await calls.interrupt(id))
    await until(isIdle(id))
    expect((await work(id)).ended?.reason).toBe('interrupt')
    valueOf(await calls.stop(id))
    expect(await live(id)).toBeUndefined()
    await expect(readFile(join(disk.home, 'taken'))).rejects.toThrow(/ENOENT/)
  })

  it('answers what an agent asks, once', async () => {
    const id = await make('asks', { preset: 'scripted' })
    await until(asks(id))
    const [question] = (await live(id))?.requests ?? []
    expect(question?.options.map(({ label }) => label).toSorted()).toEqual(['Never', 'No', 'Yes'])
    const yes = question?.options.find(({ kind }) => kind === 'allow')?.id ?? ''
    expect(valueOf(await calls.answer(id, question?.id ?? '', yes))).toBeNull()
    expect(await calls.answer(id, question?.id ?? '', yes)).toMatchObject({
      ok: false,
      error: { code: 'invalid_request', field: 'request_id' },
    })
    await until(isIdle(id))
    expect((await work(id)).ended?.reason).toBe('done')
  })

  it('begins with what waited for an agent, once one is chosen', async () => {
    const id = await make('answers')
    await until(async () => valueOf(await navigator.details(id)).trouble !== undefined)
    const before = await work(id)
    expect(before).toMatchObject({
      no_agent: expect.stringContaining('No agent was chosen'),
      waiting: [{ text: 'answers' }],
    })
    expect(before.agent).toBeUndefined()
    await writeFile(paths.settings, JSON.stringify({ preset: 'scripted' }))
    expect((await work(id)).agent).toEqual({ id: 'scripted', label: 'Scripted' })
    valueOf(await calls.wake(id))
    await until(async () => (await work(id)).ended?.reason === 'done')
    expect((await work(id)).waiting).toEqual([])
  })
})

describe('budgets', () => {
  it('says whose limit holds and who shares it; a raise is refused and recorded, anything else only refused', async () => {
    const main = await make('streams', { preset: 'scripted', budget: 5000 })
    const child = await make('streams', { preset: 'scripted', as: main, budget: 1200 })
    const grandchild = await make('streams', { as: child })
    await until(async () => (await Promise.all([main, child, grandchild].map((id) => isIdle(id)()))).every(Boolean))
    const { budget_view: view, tokens, subagents } = await work(main)
    expect(tokens).toBeGreaterThan(0)
    expect(view).toEqual({
      limit: 5000,
      spent: tokens * 3,
      owner: { session_id: main, name: 'streams' },
      sharers: 2,
      given: 1200,
      rejected_raises: [],
    })
    expect(Object.keys(subagents).toSorted()).toEqual([child, grandchild].toSorted())
    expect(subagents[child]).toMatchObject({
      tokens,
      budget: { limit: 1200, spent: tokens * 2 },
      ended: { reason: 'done' },
    })
    expect((await work(grandchild)).budget_view).toMatchObject({
      limit: 1200,
      owner: { session_id: child },
      sharers: 1,
    })

    const refused = await calls.change_budget(main, 8000)
    expect(refused).toMatchObject({ ok: false, error: { code: 'budget_exceeded', message: /8,000/ } })
    expect(await calls.change_budget(main, 100)).toMatchObject({ ok: false, error: { code: 'budget_exceeded' } })
    expect(await calls.change_budget(grandchild, 100)).toMatchObject({ ok: false, error: { code: 'budget_exceeded' } })
    expect((await work(main)).budget_view?.rejected_raises).toEqual([{ asked: 8000, time: expect.any(Number) }])
    expect((await work(main)).budget_view?.limit).toBe(5000)
    const place = valueOf(await disk.tree.locate(main))
    expect(await readFile(place.logPath, 'utf8')).toMatch(/"session-tree\/raise-rejected".*"cap_raise_rejected"/)
  })

  it('knows of none where none holds', async () => {
    const id = await make('echo free', { preset: 'shell' })
    await until(isIdle(id))
    expect((await work(id)).budget_view).toBeUndefined()
  })
})

it('lists the agents there are with what their presets set, and says what is wrong with the others', async () => {
  const view = valueOf(await calls.presets())
  expect(view.presets[0]).toEqual({
    id: 'scripted',
    label: 'Scripted',
    kind: 'acp',
    source: 'file',
    model: 'maker/large',
    budget: 9000,
  })
  expect(view.presets.at(-1)).toEqual({ id: 'shell', label: 'Shell', kind: 'shell', source: 'built-in' })
  expect(view.problems).toEqual([expect.stringMatching(/Line \d+ .*"broken"/)])
  expect(view.chosen).toBeNull()
})

it('asks for a folder from where the person is, and takes no for an answer', async () => {
  expect(valueOf(await calls.choose_folder('/work/here'))).toBeNull()
  expect(askedAt).toEqual(['/work/here'])
})
