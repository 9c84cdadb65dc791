import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Pushes } from '../../shared/bridge.ts'
import { findHome } from '../gateway/find-home.ts'
import type { Home } from '../gateway/home.ts'
import { openHome, type HomeHost } from '../gateway/home-host.ts'
import { followTree, type LiveTree } from '../navigator/live-tree.ts'
import { createNavigator, type Navigator } from '../navigator/navigator.ts'
import { treeOnDisk, type TreeOnDisk } from '../navigator/testing/tree-on-disk.ts'
import { homePaths, type HomePaths } from '../session-tree/home-paths.ts'
import { newSessionId } from '../session-tree/session-id.ts'
import { createGitWorktrees } from '../worktrees/git-worktrees.ts'
import { callHandlers } from './calls.ts'
import { valueOf } from '../tools/testing/test-home.ts'
import { createCreations } from './creations.ts'
import { accessHome, type HomeAccess } from './home-access.ts'
import type { CallHandlers } from './ipc.ts'
import type { MenuAct, SessionMenuItem } from './session-menu.ts'
import { windowStateFile } from './window-state.ts'

// The calls on a real home, without a window: what it would be told is written down here. They work in a home of their own
// and in one that another owner serves, and do not know which.

let disk: TreeOnDisk
let paths: HomePaths
let calls: CallHandlers
let home: HomeAccess<Home>
let owner: HomeHost | undefined
let live: LiveTree
let navigator: Navigator
let pushed: { [Name in keyof Pushes]?: Pushes[Name][] }
let menu: { items: readonly SessionMenuItem[]; act: (chosen: MenuAct) => void } | undefined
let desktop: string[]
let chosenFolder: string | undefined

async function repository(name: string): Promise<string> {
  const path = await disk.folder(name)
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org']
  await promisify(execFile)('git', ['init', '-q', '-b', 'trunk', path])
  await promisify(execFile)('git', ['-C', path, ...identity, 'commit', '-q', '--allow-empty', '-m', 'one'])
  return path
}

/** A session as DSH keeps it. */
async function dshSession(root: string, id: string): Promise<void> {
  const folder = join(root, '--work-app--', id)
  await mkdir(folder, { recursive: true })
  const time = 1_700_000_000_000
  const message = { id: 'm1', role: 'user', source: { kind: 'user' }, content: [{ type: 'text', text: 'Hello' }] }
  const lines = [
    { type: 'session', version: 0, id, createdAt: time, cwd: '/work/app', delegationDepth: 0 },
    { type: 'turn/start', seq: 0, time, data: { turn: 1 } },
    { type: 'step/start', seq: 1, time, data: { turn: 1, step: 1 } },
    { type: 'user/message', seq: 2, time, data: message, surfaceOp: 'append' },
    { type: 'step/end', seq: 3, time, data: { turn: 1, step: 1 } },
    { type: 'turn/end', seq: 4, time, data: { turn: 1, reason: { kind: 'completed' } } },
  ]
  await writeFile(join(folder, 'session.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
}

describe.each(['owned', 'served'] as const)('in a home that is %s', (whose) => {
  beforeEach(async () => {
    disk = await treeOnDisk()
    paths = homePaths(disk.home)
    pushed = {}
    menu = undefined
    desktop = []
    chosenFolder = undefined
    const worktrees = createGitWorktrees({ home: disk.home })
    const { tree } = disk
    navigator = createNavigator({
      home: disk.home,
      tree,
      worktrees,
      onPatch: () => undefined,
      onLogChanged: () => undefined,
    })
    live = followTree({ tree, navigator, startCatalog: () => Promise.resolve(undefined), report: () => undefined })
    // What an earlier process left unpublished is swept when the home is opened: not what a test is writing.
    owner = whose === 'served' ? valueOf(await openHome({ paths, app: 'serve', serve: true, agents: true })) : undefined
    home = accessHome(
      () => findHome(paths, () => openHome({ paths, app: 'window', serve: false })),
      () => undefined,
    )
    expect(valueOf(await home.home()).ownedBy).toBe(owner && `treeline serve (process ${process.pid})`)
    const system: Parameters<typeof callHandlers>[0]['system'] = {
      push(name, value) {
        const list: unknown[] = (pushed[name] ??= [])
        list.push(value)
      },
      showMenu: (items, _at, act) => {
        menu = { items, act }
      },
      copy: async (text) => void desktop.push(`copy ${text}`),
      reveal: (path) => void desktop.push(`reveal ${path}`),
      openLink: async (address) => void desktop.push(`open ${address}`),
      chooseFolder: async () => chosenFolder,
      applyTheme: (theme) => void desktop.push(`theme ${theme}`),
    }
    calls = callHandlers({
      paths,
      tree,
      navigator,
      home,
      live,
      system,
      creations: createCreations(),
      state: windowStateFile(paths.windowState, () => undefined),
      report: () => undefined,
      sample: {
        resources: fileURLToPath(new URL('../../../resources/sample', import.meta.url)),
        open: (made) => void desktop.push(`another ${made}`),
      },
    })
  })
  afterEach(async () => {
    await live.stop()
    navigator.stop()
    await home.close()
    await owner?.close()
    await disk.remove()
  })

  describe('creating', () => {
    it('makes a main for nobody, and a fork in the promised worktree for a main; the rows are there at once', async () => {
      const cwd = await repository('app')
      const main = await calls.session_create({ prompt: 'Begin', title: 'First', cwd }, undefined)
      if (!main.ok) throw new Error(main.error.message)
      const { session_id: id } = main.value
      expect(navigator.snapshot().sessions).toMatchObject([{ session_id: id, title: 'First' }])
      const parent = (await disk.tree.mains())[0]?.id
      if (parent === undefined) throw new Error('no main')
      await disk.turn(parent, 1)
      const request = { prompt: 'Another way', fork: true, worktree: true }
      const preview = await calls.fork_preview({ session_id: parent, worktree: true, prompt: request.prompt })
      const fork = await calls.session_create(request, { as: id, call: 'c1' })
      if (!preview.ok || !fork.ok) throw new Error(JSON.stringify({ preview, fork }))
      expect(fork.value.worktree).toBe(preview.value.worktree?.path)
      const after = navigator.snapshot().sessions.find((row) => row.session_id === fork.value.session_id)
      expect(after?.worktree?.branch).toBe(preview.value.worktree?.branch)
      const next = await calls.fork_preview({ session_id: parent, worktree: true, prompt: request.prompt })
      expect(next.ok && next.value.worktree?.path).not.toBe(fork.value.worktree)
    })

    it('can be cancelled by its name, and is told of in sentences meanwhile', async () => {
      const cwd = await repository('app')
      const main = await disk.add({ kind: 'main', cwd })
      await disk.turn(main.id, 1)
      const hook = join(cwd, '.git', 'hooks', 'post-checkout')
      await writeFile(hook, '#!/bin/sh\nexec sleep 20\n', { mode: 0o755 })
      const create = calls.session_create({ prompt: 'x', fork: true, worktree: true }, { as: main.id, call: 'c1' })
      while ((pushed.create_progress ?? []).length === 0) await new Promise(setImmediate)
      expect(await calls.session_create({ prompt: 'x', fork: true }, { as: main.id, call: 'c2' })).toMatchObject({
        error: { code: 'already_running' },
      })
      await calls.show_session_menu(main.id, null)
      expect(menu?.items.flatMap((item) => (item.separator ? [] : [item.label]))).toContain(
        'Fork Session… (a fork is being made)',
      )
      await calls.cancel('c1')
      expect(await create).toMatchObject({ ok: false, error: { code: 'cancelled' } })
      expect(pushed.create_progress?.every((progress) => progress.call === 'c1')).toBe(true)
      expect((await promisify(execFile)('git', ['-C', cwd, 'branch', '--format=%(refname:short)'])).stdout).toBe(
        'trunk\n',
      )
    })

    it('refuses who is nobody', async () => {
      expect(await calls.session_create({ prompt: 'x' }, { as: '../x' })).toMatchObject({
        error: { code: 'invalid_session_id', field: 'as' },
      })
      expect(await calls.session_status({}, undefined)).toMatchObject({ error: { code: 'session_required' } })
    })
  })

  describe('a session', () => {
    it('is renamed, and shows so at once; a blank title is refused', async () => {
      const main = await disk.add({ kind: 'main', cwd: await disk.folder('app') })
      expect(await calls.rename(main.id, 'A new name')).toEqual({ ok: true, value: null })
      expect(navigator.snapshot().sessions[0]?.title).toBe('A new name')
      expect(await calls.rename(main.id, ' ')).toMatchObject({ error: { code: 'invalid_request' } })
    })

    it('has its facts copied, and says which it has not', async () => {
      const cwd = await repository('app')
      const main = await disk.add({ kind: 'main', cwd })
      for (const what of ['session_id', 'log_path', 'cwd', 'branch'] as const) await calls.copy(main.id, what)
      expect(desktop).toEqual([`copy ${main.id}`, `copy ${main.logPath}`, `copy ${cwd}`, 'copy trunk'])
      expect(await calls.copy(main.id, 'worktree')).toMatchObject({ error: { code: 'invalid_request' } })
      await calls.reveal_log(main.id)
      expect(desktop.at(-1)).toBe(`reveal ${main.logPath}`)
      expect(await calls.reveal_log(newSessionId())).toMatchObject({ error: { code: 'unknown_session' } })
    })

    it('tells the window what its menu was asked for, and what went wrong', async () => {
      const main = await disk.add({ kind: 'main', cwd: await disk.folder('app') })
      await calls.settings_change({ editor: '/nowhere/editor' })
      await calls.show_session_menu(main.id, { x: 1, y: 2 })
      menu?.act({ kind: 'command', command: 'rename' })
      expect(pushed.menu_command).toEqual([{ command: 'rename', session_id: main.id }])
      menu?.act({ kind: 'open_log' })
      while ((pushed.notice ?? []).length === 0) await new Promise(setImmediate)
      expect(pushed.notice).toMatchObject([{ code: 'editor_failed' }])
    })
  })

  describe('settings', () => {
    it('are checked as a whole before they are written, and the theme holds at once', async () => {
      expect(await calls.settings_change({ theme: 'dark' })).toMatchObject({
        ok: true,
        value: { settings: { theme: 'dark' }, homeFolder: homedir() },
      })
      expect(desktop).toEqual(['theme dark'])
      expect(await calls.settings_change({ worktreePath: '/w/{nothing}/{id}' })).toMatchObject({
        error: { code: 'settings_invalid', field: 'worktreePath' },
      })
      expect(await calls.settings_change({ worktreeBranch: 'mine/{slug}-{id}' })).toMatchObject({ ok: true })
      expect(JSON.parse(await readFile(paths.settings, 'utf8'))).toMatchObject({
        theme: 'dark',
        worktreePath: null,
        worktreeBranch: 'mine/{slug}-{id}',
      })
    })
  })

  describe('the first start', () => {
    it('offers what DSH has, imports it when asked, shows it, and remembers the answer', async () => {
      expect(await calls.import_offer()).toEqual({ ok: true, value: { found: 0, folders: [], answered: false } })
      const root = join(disk.home, 'sessions')
      const ids = [newSessionId(), newSessionId()]
      for (const id of ids) await dshSession(root, id)
      expect(await calls.import_offer()).toEqual({ ok: true, value: { found: 2, folders: [root], answered: false } })
      expect(await readdir(disk.home)).not.toContain('session-tree')
      expect(await calls.import_start(null)).toMatchObject({
        ok: true,
        value: { imported: 2, failed: [], cancelled: false },
      })
      expect(
        navigator
          .snapshot()
          .sessions.map((row) => row.session_id)
          .toSorted(),
      ).toEqual(ids.toSorted())
      expect(pushed.import_progress?.at(-1)).toMatchObject({ done: 2, total: 2 })
      expect(await calls.import_offer()).toEqual({ ok: true, value: { found: 0, folders: [], answered: true } })
    })

    it('imports nothing where no folder was chosen, and is not answered by that; dismissing is an answer', async () => {
      expect(await calls.import_start('choose')).toMatchObject({ ok: true, value: { imported: 0, cancelled: true } })
      expect(await calls.import_offer()).toMatchObject({ value: { answered: false } })
      await calls.import_dismiss()
      expect(await calls.import_offer()).toMatchObject({ value: { answered: true } })
    })

    it('imports from the folder that was chosen', async () => {
      chosenFolder = await disk.folder('elsewhere')
      await dshSession(chosenFolder, newSessionId())
      expect(await calls.import_start('choose')).toMatchObject({ ok: true, value: { imported: 1 } })
    })

    it('makes the sample once for two clicks, and opens it beside this home', async () => {
      const answers = await Promise.all([calls.open_sample(), calls.open_sample()])
      expect(answers).toEqual([
        { ok: true, value: null },
        { ok: true, value: null },
      ])
      const opened = desktop.map((line) => line.replace('another ', ''))
      expect(opened).toHaveLength(1)
      const sample = opened[0] ?? ''
      expect(await readdir(join(sample, 'session-tree'))).not.toEqual([])
      expect(await disk.tree.mains()).toEqual([])
      await rm(dirname(sample), { recursive: true })
    })
  })
})
