import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { SessionId } from '../../shared/session-id.ts'
import { waitingMessages } from '../agents/claim.ts'
import { createSessionReader } from '../agents/session-reader.ts'
import { newSessionId } from '../session-tree/session-id.ts'
import { HOST, idOf, makeTestHome, valueOf, type TestHome } from '../tools/testing/test-home.ts'
import { installHook, makeRepository } from '../worktrees/testing/test-git.ts'
import { findHome } from './find-home.ts'
import type { AgentControl, Home } from './home.ts'
import { openHome, type HomeHost } from './home-host.ts'

// A home that an owner serves, reached over its socket: agents that run there, as a window sees and steers them.

vi.setConfig({ testTimeout: 30_000 })

const SCRIPTED = join(import.meta.dirname, '..', 'agents', 'testing', 'scripted-acp-agent.ts')

let home: TestHome
let owner: HomeHost
let reached: Home
let opened: Home[]

const asWindow = () => findHome(home.paths, () => openHome({ paths: home.paths, app: 'window', serve: false }))

beforeEach(async () => {
  home = await makeTestHome()
  opened = []
  await mkdir(home.paths.own, { recursive: true })
  const scripted = { id: 'scripted', label: 'Scripted', kind: 'acp', command: process.execPath, args: [SCRIPTED] }
  await writeFile(home.paths.presets, JSON.stringify([scripted]))
  owner = valueOf(await openHome({ paths: home.paths, app: 'serve', serve: true, agents: true }))
  reached = await reach()
})
afterEach(async () => {
  for (const each of opened) await each.close()
  await owner.close()
  await home.remove()
})

async function reach(): Promise<Home> {
  const found = valueOf(await asWindow())
  opened.push(found)
  return found
}

function agents(): AgentControl {
  if (!reached.agents) throw new Error('No agents run there.')
  return reached.agents
}

async function run(prompt: string, preset = 'shell'): Promise<SessionId> {
  return idOf(valueOf(await reached.tools.session_create({ prompt, cwd: home.cwd, preset }, HOST)).session_id)
}

/** Resolves once it is so, looking again with every change. */
function until(isSo: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!isSo()) return
      unsubscribe()
      resolve()
    }
    const unsubscribe = agents().onChange(look)
    look()
  })
}

const state = (id: SessionId) => agents().status(id)?.state

describe('the agents of a home that is served', () => {
  it('are seen to run, to wait and to end, also by who comes later', async () => {
    const id = await run('sleep 600')
    await until(() => state(id) === 'running')
    expect(agents().status(id)?.since).toBeGreaterThan(1_700_000_000_000)
    const later = await reach()
    expect(later.agents?.status(id)).toEqual(owner.agents?.status(id))
    valueOf(await agents().interrupt(id))
    await until(() => state(id) === 'idle')
    valueOf(await agents().stop(id))
    await until(() => state(id) === undefined)
    expect(owner.agents?.status(id)).toBeUndefined()
  })

  it('ask, and are answered once', async () => {
    const id = await run('asks', 'scripted')
    await until(() => agents().status(id)?.requests.length === 1)
    const [asked] = agents().status(id)?.requests ?? []
    const allow = asked?.options.find(({ kind }) => kind === 'allow')
    if (!asked || !allow) throw new Error('Nothing that could be allowed is asked.')
    expect(valueOf(await agents().answer(id, asked.id, allow.id))).toBeNull()
    expect(await agents().answer(id, asked.id, allow.id)).toMatchObject({ error: { code: 'invalid_request' } })
    await until(() => state(id) === 'idle')
  })

  it('say why a message waits, until it is tried again; one that waits is taken back', async () => {
    const request = { prompt: 'echo ran > ran', cwd: home.cwd }
    const main = idOf(valueOf(await reached.tools.session_create(request, HOST)).session_id)
    await until(() => agents().trouble(main) !== undefined)
    expect(agents().trouble(main)).toEqual(owner.agents?.trouble(main))
    expect((await reach()).agents?.trouble(main)).toEqual(owner.agents?.trouble(main))
    const waiting = await createSessionReader(owner.tree).read(main)
    const [first] = waitingMessages(valueOf(waiting).state.inbox)
    valueOf(await reached.tools.session_send({ session_id: main, message: 'streams' }, HOST))
    valueOf(await agents().withdraw(main, first?.message.id ?? ''))
    expect(await agents().withdraw(main, first?.message.id ?? '')).toMatchObject({ error: { code: 'invalid_request' } })
    await writeFile(home.paths.settings, JSON.stringify({ preset: 'scripted' }))
    valueOf(await agents().wake(main))
    await until(() => state(main) === 'idle')
    expect(agents().trouble(main)).toBeUndefined()
    const { state: after } = valueOf(await createSessionReader(owner.tree).read(main))
    expect([after.lastTurn, waitingMessages(after.inbox)]).toEqual([1, []])
  })
})

describe('what a person does in a home that is served', () => {
  it('is done by its owner: a session with a promised id and a budget, a new title, a message for a child', async () => {
    const promised = newSessionId()
    const made = valueOf(
      await reached.tools.session_create({ prompt: 'true', cwd: home.cwd, preset: 'shell' }, HOST, {
        sessionId: promised,
        budget: 700,
      }),
    )
    expect(made.session_id).toBe(promised)
    expect(await reached.budgets.refuseRaise(promised, 900)).toMatchObject({ error: { code: 'budget_exceeded' } })
    valueOf(await reached.rename(promised, 'Orchard'))
    const child = valueOf(await reached.tools.session_create({ prompt: 'true' }, { kind: 'host', as: promised }))
    const message = { session_id: child.session_id, message: 'true' }
    expect(valueOf(await reached.tools.session_send(message, { kind: 'host', as: promised }))).toMatchObject({
      accepted: true,
    })
    expect(await reached.tools.session_send(message, HOST)).toMatchObject({
      error: { code: 'not_direct_child' },
    })
    const { tree } = valueOf(await owner.tools.session_status({ session_id: promised }, HOST))
    expect(tree).toMatchObject({ title: 'Orchard', subagents: [{ session_id: child.session_id }] })
    expect(await readFile(tree.session_path ?? '', 'utf8')).toContain('"reason":"cap_raise_rejected"')
  })

  it('tells how it goes on, and what went wrong beside it', async () => {
    await makeRepository(home.cwd)
    await installHook(join(home.cwd, '.git'), 'post-checkout', ['exit 3'])
    const main = await run('true')
    await until(() => state(main) === 'idle')
    const told: string[] = []
    const warned: string[] = []
    valueOf(
      await reached.tools.session_create(
        { prompt: 'true', fork: true, worktree: true },
        { kind: 'host', as: main },
        { onProgress: (sentence) => told.push(sentence), onWarning: (sentence) => warned.push(sentence) },
      ),
    )
    expect(told).not.toEqual([])
    expect(warned).toEqual([expect.stringContaining('post-checkout')])
  })
})

describe('an owner that goes', () => {
  it('takes with it what was known of its agents, at once', async () => {
    const id = await run('sleep 600')
    await until(() => state(id) === 'running')
    const states: unknown[] = []
    agents().onChange((changed) => states.push([changed, state(changed)]))
    await owner.close()
    await reached.ended
    expect(state(id)).toBeUndefined()
    expect(states.at(-1)).toEqual([id, undefined])
    expect(await agents().stop(id)).toMatchObject({ error: { code: 'owner_unreachable' } })
    const words = `treeline serve (process ${process.pid}) ended, or does not answer any more`
    const message = { session_id: id, message: 'true' }
    const sent = await reached.tools.session_send(message, HOST)
    expect(sent).toMatchObject({ error: { code: 'owner_unreachable', message: expect.stringContaining(words) } })
    const own = await reach()
    expect(own.ownedBy).toBeUndefined()
    expect(valueOf(await own.tools.session_send(message, HOST))).toMatchObject({ accepted: true })
  })
})

describe('a home', () => {
  it('is not reached where its owner does not serve, or is a window', async () => {
    for (const [app, serve] of [
      ['command line', false],
      ['window', true],
    ] as const) {
      await owner.close()
      owner = valueOf(await openHome({ paths: home.paths, app, serve }))
      expect(await asWindow()).toMatchObject({ error: { code: 'home_owned', owner: { app } } })
    }
  })

  it('is owned by somebody, and why he cannot be reached is said', async () => {
    await writeFile(home.paths.hostToken, '0'.repeat(64))
    expect(await asWindow()).toMatchObject({
      error: { code: 'home_owned', message: expect.stringMatching(/A treeline service .* owns .* token is not valid/) },
    })
  })

  it('is worked in without agents where its owner runs none', async () => {
    await owner.close()
    owner = valueOf(await openHome({ paths: home.paths, app: 'serve', serve: true }))
    const without = await reach()
    expect(without.agents).toBeUndefined()
    expect(valueOf(await without.tools.session_create({ prompt: 'Go', cwd: home.cwd }, HOST)).kind).toBe('main')
  })
})
