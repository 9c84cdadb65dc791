import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { connectToOwner } from '../main/gateway/connect-to-owner.ts'
import type { ToolConnection } from '../main/gateway/tool-client.ts'
import type { LiveChange } from '../main/gateway/tool-protocol.ts'
import { homePaths } from '../main/session-tree/home-paths.ts'
import { openSessionTree } from '../main/session-tree/tree-provider.ts'
import { readOwner } from '../main/session-tree/owner-lock.ts'
import { idOf, valueOf } from '../main/tools/testing/test-home.ts'
import type { SessionTreeView } from '../shared/tools.ts'
import { startServe, type ServeProcess } from './testing/crash/serve-process.ts'
import { createdBy, errorOf, resultOf, runTreeline, treesOf } from './testing/run-treeline.ts'
import { openShell, type Shell } from './testing/shell.ts'

const PROGRAM = join(import.meta.dirname, 'treeline.ts')

// A handful of processes one after the other, each a Node of its own.
vi.setConfig({ testTimeout: 120_000 })

let shell: Shell
let serving: ServeProcess[]
let connections: ToolConnection[]

beforeEach(async () => {
  shell = await openShell()
  serving = []
  connections = []
})
afterEach(async () => {
  for (const connection of connections) connection.close()
  await Promise.all(serving.map((started) => started.end('SIGKILL')))
  await shell.close()
})

async function serve(): Promise<ServeProcess> {
  const started = startServe(PROGRAM, shell.home, shell.project)
  serving.push(started)
  const ready = await started.ready
  if (!ready) throw new Error((await started.end('SIGKILL')).stderr)
  expect(ready).toEqual({ ready: true, home: shell.home, pid: started.pid, socket: expect.any(String) })
  return started
}

/** As a window that has no home of its own. */
async function follow(): Promise<{
  readonly owner: ToolConnection
  readonly until: (told: (change: LiveChange) => boolean) => Promise<LiveChange>
}> {
  const owner = valueOf(await connectToOwner(homePaths(shell.home)))
  connections.push(owner)
  const seen: LiveChange[] = []
  const waiting = new Set<() => void>()
  owner.onLive((change) => {
    seen.push(change)
    for (const look of waiting) look()
  })
  resultOfCall(await owner.call('live_status', {}))
  return {
    owner,
    until: (told) =>
      new Promise((resolve) => {
        const look = () => {
          const found = seen.find(told)
          if (!found) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      }),
  }
}

function resultOfCall(answer: Awaited<ReturnType<ToolConnection['call']>>): unknown {
  return valueOf(answer)
}

const idle = (id: string) => (change: LiveChange) => change.session_id === id && change.status?.state === 'idle'
const running = (id: string) => (change: LiveChange) => change.session_id === id && change.status?.state === 'running'

describe('serve', () => {
  it('owns the home, runs a main that makes a subagent that makes a subagent, and gives the home back when asked', async () => {
    const { pid } = await serve()
    const paths = homePaths(shell.home)
    expect(await readOwner(paths.lock)).toMatchObject({ pid, app: 'serve' })
    const { until } = await follow()
    const inner = 'treeline session create --prompt pwd'
    const outer = `treeline session create --title Middle --prompt '${inner}' && treeline session status > status.json`
    const main = await shell.create('--preset', 'shell', '--prompt', outer)
    await until(idle(main.session_id))
    const [middle] = (await shownTree(main.session_id)).subagents
    await until(idle(middle?.session_id ?? ''))
    const [deep] = (await shownTree(main.session_id)).subagents.flatMap(({ subagents }) => subagents)
    await until(idle(deep?.session_id ?? ''))
    expect(await shownTree(main.session_id)).toMatchObject({
      status: 'idle',
      subagents: [{ title: 'Middle', status: 'idle', subagents: [{ status: 'idle', cwd: shell.project }] }],
    })
    // Seen from inside, the main was running.
    expect(JSON.parse(await readFile(join(shell.project, 'status.json'), 'utf8'))).toMatchObject({
      tree: { session_id: main.session_id, status: 'running' },
    })
    expect(await readFile(deep?.session_path ?? '', 'utf8')).toContain(`${shell.project}\\n`)

    const ended = await serving[0]?.end('SIGTERM')
    expect(ended).toEqual({ code: 0, stderr: '' })
    expect(await readOwner(paths.lock)).toBeUndefined()
    expect(await readdir(paths.agents)).toEqual([])
    expect(await shownTree(main.session_id)).toMatchObject({ status: 'cold' })
    const again = startServe(PROGRAM, shell.home, shell.project)
    expect(await again.ready).toBeDefined()
    expect(await again.end('SIGINT')).toMatchObject({ code: 0 })
  })

  it('refuses a home that is owned, in the words of a command', async () => {
    const first = await serve()
    const refused = await shell.treeline('serve')
    expect(errorOf(refused)).toMatchObject({ exit: 1, code: 'home_owned' })
    expect(refused.stderr).toContain(String(first.pid))
  })

  it('ends what its agents run when it is asked to end, and the session says so', async () => {
    await serve()
    const { until } = await follow()
    const main = await shell.create('--preset', 'shell', '--prompt', 'echo $$ > pid; exec sleep 600')
    await until(running(main.session_id))
    const pid = await appears(join(shell.project, 'pid'))
    expect(await serving[0]?.end('SIGTERM')).toMatchObject({ code: 0 })
    expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH')
    const log = await readFile((await shownTree(main.session_id)).session_path ?? '', 'utf8')
    expect(log).toContain('"type":"turn/end"')
    expect(resultOf(await shell.treeline('check'))).toEqual({ summary: { sessions: 1, faults: 0, notes: 0 } })
  })

  it('begins with what was accepted while nobody ran agents', async () => {
    const main = await shell.create('--preset', 'shell', '--prompt', 'echo done > done.txt')
    await serve()
    const { until } = await follow()
    await until(idle(main.session_id))
    expect(await readFile(join(shell.project, 'done.txt'), 'utf8')).toBe('done\n')
  })

  it('says what it mended and what is wrong with the presets, and knows those that are right', async () => {
    const paths = homePaths(shell.home)
    await mkdir(paths.own, { recursive: true })
    const own = { id: 'loud', label: 'Loud', kind: 'shell', command: '/bin/sh', env: { LOUD: 'yes' }, role: 'crier' }
    await writeFile(paths.presets, JSON.stringify([own, { id: 'broken' }], undefined, 1))
    await serve()
    const { until } = await follow()
    const main = await shell.create('--preset', 'loud', '--prompt', 'echo $LOUD > loud.txt')
    await until(idle(main.session_id))
    expect(await readFile(join(shell.project, 'loud.txt'), 'utf8')).toBe('yes\n')
    const refused = await shell.treeline('session', 'create', '--prompt', 'Go', '--preset', 'quiet')
    expect(errorOf(refused)).toMatchObject({ code: 'unknown_preset', field: 'preset' })
    expect(refused.stderr).toContain('loud')
    const { stderr } = (await serving[0]?.end('SIGTERM')) ?? {}
    expect(stderr).toContain('broken')
  })
})

describe('a window at a home that is served', () => {
  it('steers: stops a turn, withdraws what waits, renames, and is told of it all', async () => {
    await serve()
    const { owner, until } = await follow()
    const made = resultOfCall(
      await owner.call('session_create', {
        request: { prompt: 'echo $$ > pid; sleep 600', cwd: shell.project, preset: 'shell' },
        id: 'session-01a22d66-7edc-767f-ae9f-1762904df926',
        budget: 5000,
      }),
    )
    const id = 'session-01a22d66-7edc-767f-ae9f-1762904df926'
    expect(made).toMatchObject({ session_id: id })
    await until(running(id))
    await appears(join(shell.project, 'pid'))
    valueOf(await owner.call('session_send', { request: { session_id: id, message: 'touch never.txt' } }))
    const message = await waitingMessage(id, 'touch never.txt')
    expect(await owner.call('withdraw', { session_id: id, message_id: message })).toEqual({ ok: true, value: null })
    expect(await owner.call('withdraw', { session_id: id, message_id: message })).toMatchObject({ ok: false })
    expect(await owner.call('rename', { session_id: id, title: 'Sleeper' })).toMatchObject({ ok: true })
    expect(await owner.call('answer', { session_id: id, request_id: 'x', option_id: 'y' })).toEqual({
      ok: true,
      value: { answered: false },
    })
    expect(await owner.call('interrupt', { session_id: id })).toMatchObject({ ok: true })
    await until(idle(id))
    expect(await owner.call('stop', { session_id: id })).toMatchObject({ ok: true })
    await until((change) => change.session_id === id && change.status === null)
    expect(await owner.call('stop', { session_id: '../x' })).toMatchObject({ error: { code: 'invalid_session_id' } })
    await expect(stat(join(shell.project, 'never.txt'))).rejects.toThrow('ENOENT')
    expect(await shownTree(id)).toMatchObject({ title: 'Sleeper', status: 'cold' })
    const drawn = await shell.treeline('session', 'tree', id)
    expect(drawn.stdout).toBe(`main ${id}  "Sleeper"  interrupt  0/5000 tokens\n`)
  })

  it('learns that the owner is gone', async () => {
    const owned = await serve()
    const { owner } = await follow()
    await owned.end('SIGKILL')
    expect(await owner.ended).toMatchObject({ code: 'owner_unreachable' })
  })
})

describe('a token inside an agent', () => {
  it('is dead when its agent is, opens nothing for the host alone, and is nowhere in home or arguments', async () => {
    await serve()
    const { owner, until } = await follow()
    const prompt = 'cat /proc/$PPID/cmdline > cmdline; echo "$TREELINE_TOKEN" > token; echo "$TREELINE_TOKEN"'
    const main = await shell.create('--preset', 'shell', '--prompt', prompt)
    await until(idle(main.session_id))
    const token = (await readFile(join(shell.project, 'token'), 'utf8')).trim()
    expect(token).toMatch(/^[0-9a-f]{64}$/)
    const { socket = '' } = (await readOwner(homePaths(shell.home).lock)) ?? {}
    const environment = { TREELINE_TOKEN: token, TREELINE_SOCKET: socket }
    const inside = (...words: string[]) => runTreeline(words, { cwd: shell.project, environment })
    expect(createdBy(await inside('session', 'create', '--prompt', 'true'))).toMatchObject({
      parent_session_id: main.session_id,
    })
    for (const words of [['session', 'list'], ['serve'], ['check'], ['session', 'tree', main.session_id]]) {
      expect(errorOf(await inside(...words))).toMatchObject({ code: 'not_allowed' })
    }
    for (const file of await readdir(shell.home, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue
      expect(await readFile(join(file.parentPath, file.name), 'utf8'), file.name).not.toContain(token)
    }
    expect(await readFile(join(shell.project, 'cmdline'), 'utf8')).not.toContain(token)
    await owner.call('stop', { session_id: main.session_id })
    expect(errorOf(await inside('session', 'status'))).toMatchObject({ exit: 1, code: 'not_authorized' })
  })
})

async function shownTree(id: string): Promise<SessionTreeView> {
  const [tree] = treesOf(await shell.treeline('session', 'status', '--session', id))
  if (!tree) throw new Error(`${id} is not shown.`)
  return tree
}

/** The id of a message that waits in the inbox, as the log has it. */
async function waitingMessage(id: string, text: string): Promise<string> {
  const { lines } = valueOf(await openSessionTree(homePaths(shell.home).tree).read(idOf(id), { lines: 100 }))
  const found = /"text":"touch never.txt"}\],"source":{"kind":"user"},"role":"user","id":"([^"]+)"/.exec(
    JSON.stringify(lines),
  )
  if (!found?.[1]) throw new Error(`${text} does not wait.`)
  return found[1]
}

/** What a command has written into a file, once it has. */
async function appears(path: string): Promise<string> {
  for (;;) {
    const text = await readFile(path, 'utf8').catch(() => '')
    if (text !== '') return text
    await new Promise(setImmediate)
  }
}
