import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startServe, type ServeProcess } from '../../cli/testing/crash/serve-process.ts'
import type { NavigatorPatch } from '../../shared/navigator-view.ts'
import type { SessionId } from '../../shared/session-id.ts'
import { connectToOwner } from '../gateway/connect-to-owner.ts'
import type { Home } from '../gateway/home.ts'
import { openHome } from '../gateway/home-host.ts'
import { watchOwner } from '../gateway/owner-watch.ts'
import { createNavigator, type Navigator } from '../navigator/navigator.ts'
import { treeOnDisk, type TreeOnDisk } from '../navigator/testing/tree-on-disk.ts'
import { homePaths, type HomePaths } from '../session-tree/home-paths.ts'
import { HOST, idOf, valueOf } from '../tools/testing/test-home.ts'
import { createGitWorktrees } from '../worktrees/git-worktrees.ts'
import type { HomeAccess } from './home-access.ts'
import { windowHome } from './window-home.ts'

// A window's home while a real `treeline serve` comes, goes and is killed, and what its navigator shows of it.

vi.setConfig({ testTimeout: 60_000 })

const PROGRAM = join(import.meta.dirname, '..', '..', 'cli', 'treeline.ts')

let disk: TreeOnDisk
let paths: HomePaths
let cwd: string
let navigator: Navigator
let access: HomeAccess<Home> | undefined
let serving: ServeProcess | undefined
let patches: NavigatorPatch[]
let looking: Set<() => void>

beforeEach(async () => {
  disk = await treeOnDisk()
  paths = homePaths(disk.home)
  cwd = await disk.folder('app')
  access = serving = undefined
  patches = []
  looking = new Set()
  navigator = createNavigator({
    home: disk.home,
    tree: disk.tree,
    worktrees: createGitWorktrees({ home: disk.home }),
    onPatch(patch) {
      patches.push(patch)
      for (const look of looking) look()
    },
    onLogChanged: () => undefined,
  })
})
afterEach(async () => {
  navigator.stop()
  await access?.close()
  await serving?.end('SIGKILL')
  await disk.remove()
})

async function serve(): Promise<ServeProcess> {
  const started = startServe(PROGRAM, disk.home, cwd)
  serving = started
  if (!(await started.ready)) throw new Error((await started.end('SIGKILL')).stderr)
  return started
}

function openWindow(): HomeAccess<Home> {
  access = windowHome({ paths, navigator, report: () => undefined, mayBegin: Promise.resolve(true) })
  return access
}

/** Resolves once it is so, looking again whenever the window is told something. */
function until(isSo: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!isSo()) return
      looking.delete(look)
      resolve()
    }
    looking.add(look)
    look()
  })
}

const statusOf = (id: SessionId) => navigator.snapshot().sessions.find((row) => row.session_id === id)?.status
const notices = () => navigator.snapshot().notices.map(({ message }) => message)

async function run(prompt: string): Promise<SessionId> {
  const home = valueOf(await openWindowHome())
  const id = idOf(valueOf(await home.tools.session_create({ prompt, cwd, preset: 'shell' }, HOST)).session_id)
  await navigator.look(id)
  return id
}

function openWindowHome() {
  return (access ?? openWindow()).home()
}

it('works through who serves, says who that is, and has the home itself once he has ended', async () => {
  const { pid } = await serve()
  const id = await run('sleep 600')
  expect(notices()).toEqual([`Agents run in treeline serve (process ${pid}). They outlive this window.`])
  await until(() => statusOf(id) === 'running')
  const served = access?.now()
  expect(served?.ownedBy).toBe(`treeline serve (process ${pid})`)

  patches = []
  expect(await serving?.end('SIGTERM')).toEqual({ code: 0, stderr: '' })
  const home = valueOf(await openWindowHome())
  expect(home.ownedBy).toBeUndefined()
  await until(() => notices().length === 0)
  // Between the two owners the window has nothing to complain about.
  expect(patches.flatMap((patch) => patch.notices ?? [])).not.toContainEqual(expect.objectContaining({ id: 'home' }))
  await until(() => statusOf(id) === 'cold')
  valueOf(await home.tools.session_send({ session_id: id, message: 'echo again > again' }, HOST))
  await until(() => statusOf(id) === 'idle')
  expect(await readFile(join(cwd, 'again'), 'utf8')).toBe('again\n')
})

it('shows nobody at work once who serves was killed, and closes what he left', async () => {
  await serve()
  const id = await run('sleep 600')
  await until(() => statusOf(id) === 'running')
  const served = access?.now()
  let known: unknown
  served?.agents?.onChange((changed) => {
    known = served.agents?.status(changed)
  })
  known = 'running'
  await serving?.end('SIGKILL')
  await served?.ended
  expect(known).toBeUndefined()
  expect(statusOf(id)).not.toBe('running')
  expect(valueOf(await openWindowHome()).ownedBy).toBeUndefined()
  await navigator.look(id)
  expect(statusOf(id)).toBe('cold')
  expect(await readFile(valueOf(await disk.tree.locate(id)).logPath, 'utf8')).toContain('"reason":"killed"')
})

it('answers a call whose owner goes in the middle of it, in words', async () => {
  const { pid } = await serve()
  const id = await run('true')
  await until(() => statusOf(id) === 'idle')
  const home = valueOf(await openWindowHome())
  // It takes the call and never comes to answer it.
  process.kill(pid, 'SIGSTOP')
  const sent = home.tools.session_send({ session_id: id, message: 'true' }, HOST)
  await serving?.end('SIGKILL')
  expect(await sent).toMatchObject({
    error: {
      code: 'owner_unreachable',
      message: `treeline serve (process ${pid}) ended, or does not answer any more, so whether this was done is not known. Look at the session, then try again.`,
    },
  })
})

it('lets go of an owner that is there but does not answer, and finds it again', async () => {
  const { pid } = await serve()
  const patience = { every: 10, patience: 300 }
  const connection = valueOf(await connectToOwner(paths))
  const watching = watchOwner(connection, patience)
  process.kill(pid, 'SIGSTOP')
  const asked = connection.call('session_list', {})
  expect(await connection.ended).toMatchObject({ message: expect.stringContaining('it does not answer') })
  expect(await asked).toMatchObject({ error: { code: 'owner_unreachable' } })
  await watching
  process.kill(pid, 'SIGCONT')
  expect(valueOf(await openWindowHome()).ownedBy).toBe(`treeline serve (process ${pid})`)
})

it('waits for a short command, says so, and then has a home of its own', async () => {
  const command = valueOf(await openHome({ paths, app: 'command line', serve: false }))
  const opening = openWindowHome()
  await until(() => notices().length > 0)
  expect(notices()).toEqual([expect.stringMatching(/^A treeline command .* Until then this window can only look\.$/)])
  await command.close()
  expect(valueOf(await opening).ownedBy).toBeUndefined()
  await until(() => notices().length === 0)
})
