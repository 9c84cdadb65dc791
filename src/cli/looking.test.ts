import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { homePaths } from '../main/session-tree/home-paths.ts'
import { acquireHome } from '../main/session-tree/owner-lock.ts'
import { linesOf, snapshotOf } from '../main/tools/testing/test-home.ts'
import { git, makeRepository } from '../main/worktrees/testing/test-git.ts'
import { resultOf, runTreeline, treesOf } from './testing/run-treeline.ts'
import { openShell, type Shell } from './testing/shell.ts'

let shell: Shell
let folder: string
let home: string
let project: string

beforeEach(async () => {
  shell = await openShell()
  ;({ folder, home, project } = shell)
})
afterEach(() => shell.close())

const treeline = (...words: string[]) => shell.treeline(...words)
const create = (...words: string[]) => shell.create(...words)

async function check(): Promise<{ code: number | null; lines: readonly Record<string, unknown>[] }> {
  const { code, stdout } = await treeline('check')
  return { code, lines: linesOf(stdout) }
}

describe('looking', () => {
  it('writes nothing and takes no lock, whoever owns the home', async () => {
    const main = await create()
    const lock = await acquireHome(homePaths(home).lock, { app: 'command line' })
    if (!lock.ok) throw new Error(lock.error.message)
    const before = await snapshotOf(home)
    resultOf(await treeline('session', 'status', '--session', main.session_id))
    resultOf(await treeline('session', 'list'))
    expect((await treeline('check')).code).toBe(0)
    expect(await snapshotOf(home)).toEqual(before)
    await lock.value.release()
  })

  it('at a home that is not there shows an empty one and makes none', async () => {
    expect(resultOf(await treeline('session', 'list'))).toEqual({ sessions: [] })
    expect((await treeline('check')).code).toBe(0)
    expect(existsSync(home)).toBe(false)
  })

  it('loads neither SQLite nor what creates', async () => {
    const main = await create()
    const record = join(folder, 'loaded')
    const recorder = join(folder, 'recorder.mjs')
    await writeFile(
      recorder,
      `import { appendFileSync } from 'node:fs'
       import { registerHooks } from 'node:module'
       registerHooks({ load(url, context, next) { appendFileSync(${JSON.stringify(record)}, url + '\\n'); return next(url, context) } })`,
    )
    const look = async (...words: string[]): Promise<string> => {
      await rm(record, { force: true })
      const options = { cwd: project, node: ['--import', recorder] }
      expect((await runTreeline(['--home', home, ...words], options)).code).toBe(0)
      return readFile(record, 'utf8')
    }
    for (const words of [['session', 'status', '--session', main.session_id], ['session', 'list'], ['check']]) {
      const loaded = await look(...words)
      expect(loaded).toContain('session-tree/tree-provider')
      expect(loaded).not.toMatch(/sqlite|catalog|electron|worktrees|exchange|gateway\/home-host/)
    }
    // The recorder does see what is loaded when it is needed.
    expect(await look('session', 'create', '--prompt', 'Go')).toMatch(/worktrees\/git-worktrees/)
  })
})

describe('check', () => {
  it('counts what is sound', async () => {
    const main = await create()
    await create('--as', main.session_id)
    expect(await check()).toEqual({ code: 0, lines: [{ summary: { sessions: 2, faults: 0, notes: 0 } }] })
  })

  it('takes an open turn and an unfinished line for notes, anything else for a fault', async () => {
    const main = await create()
    const [tree] = treesOf(await treeline('session', 'status', '--session', main.session_id))
    const path = tree?.session_path ?? ''
    const log = await readFile(path, 'utf8')
    const seq = linesOf(log).length - 1
    const open = JSON.stringify({ type: 'turn/start', seq, time: 1, data: { turn: 1 } })
    await writeFile(path, `${log}${open}\n{"type":"step/st`)
    const noted = await check()
    expect(noted).toMatchObject({
      code: 0,
      lines: [
        { session_id: main.session_id, path, code: 'open_turn', severity: 'note' },
        { session_id: main.session_id, path, code: 'log_cut', severity: 'note' },
        { summary: { sessions: 1, faults: 0, notes: 2 } },
      ],
    })
    await writeFile(path, log.replace('"kind":"main"', '"kind":"fork"'))
    await mkdir(join(home, 'session-tree', 'notes'))
    const { code, lines } = await check()
    expect(code).toBe(1)
    expect(lines.at(-1)).toEqual({ summary: { sessions: 1, faults: 2, notes: 0 } })
    expect(new Set(lines.slice(0, -1).map((line) => line['code']))).toEqual(new Set(['layout_mismatch', 'stray']))
  })
})

const plain = join(import.meta.dirname, '../../../shared/fixtures/dsh/plain')

describe.runIf(existsSync(plain))('the whole way', () => {
  it('from DSH’s logs to a fork in a worktree that check finds sound', async () => {
    await makeRepository(project)
    const logs = join(folder, 'logs')
    await cp(plain, logs, { recursive: true })
    for (const name of await readdir(logs, { recursive: true })) {
      if (!name.endsWith('.jsonl')) continue
      const text = await readFile(join(logs, name), 'utf8')
      await writeFile(join(logs, name), text.replace(/"cwd":"[^"]*"/, `"cwd":${JSON.stringify(project)}`))
    }
    const rehearsed = resultOf(await treeline('import', 'dsh', logs, '--dry-run'))
    expect(existsSync(join(home, 'session-tree'))).toBe(false)
    const report = resultOf(await treeline('import', 'dsh', logs))
    expect(report).toMatchObject({ imported: expect.any(Number), failed: [], diverged: [], cancelled: false })
    expect(rehearsed).toEqual(report)
    const sessions = treesOf(await treeline('session', 'list'))
    expect(sessions.length).toBeGreaterThan(5)
    const main = sessions.find(({ cwd, status }) => cwd === project && status === 'cold')
    const fork = await create('--as', main?.session_id ?? '', '--fork', '--worktree')
    expect(await git(fork.cwd, 'rev-parse', '--is-inside-work-tree')).toBe('true\n')
    const checked = await treeline('check')
    expect([checked.code, checked.stderr]).toEqual([0, ''])
  })
})
