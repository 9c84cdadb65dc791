import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { createGit } from './git.ts'
import { createGitWorktrees } from './git-worktrees.ts'
import { clearIntent, recordIntent, undoIntents, type IntentReport } from './pending-intents.ts'
import {
  commitFile,
  git,
  installHook,
  makePipe,
  makeRepository,
  temporaryFolder,
  TEST_ENVIRONMENT,
  traces,
  tracesByGit,
} from './testing/test-git.ts'
import { added, planned, SESSION } from './testing/worktree-harness.ts'

/** Design §2.6: a process killed at any step leaves nothing that the next owner does not undo. */

interface Setting {
  readonly home: string
  readonly pending: string
  readonly repository: string
  readonly look: () => Promise<object>
  /** What the next owner of the home does. */
  readonly nextOwner: () => Promise<IntentReport>
}

async function setting(): Promise<Setting> {
  const folder = await temporaryFolder()
  const home = join(folder, 'home')
  await mkdir(home)
  const repository = await makeRepository(join(folder, 'r'))
  const pending = join(home, 'treeline', 'pending')
  return {
    home,
    pending,
    repository,
    look: async () => ({
      ...(await traces(join(repository, '.git'), join(home, 'worktrees'))),
      ...(await tracesByGit(repository)),
    }),
    nextOwner: () => {
      const worktrees = createGitWorktrees({ home, git: createGit(TEST_ENVIRONMENT) })
      return undoIntents(pending, worktrees, (id) => Promise.resolve(existsSync(join(home, 'session-tree', id))))
    },
  }
}

interface Doomed {
  /** Waits until the process has printed the line. */
  readonly until: (line: string) => Promise<void>
  /** SIGKILL: nothing of its own code runs after it. */
  readonly kill: () => Promise<void>
}

function startFork({ home, repository }: Setting, stopAt: string): Doomed {
  const script = fileURLToPath(new URL('./testing/fork-in-steps.ts', import.meta.url))
  const child = spawn(process.execPath, [script, home, repository, SESSION, stopAt], {
    env: TEST_ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const seen = new Set<string>()
  const waiting = new Map<string, () => void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    seen.add(line)
    waiting.get(line)?.()
  })
  return {
    until: (line) =>
      new Promise((resolve, reject) => {
        if (seen.has(line)) return resolve()
        waiting.set(line, resolve)
        void gone.then(() => reject(new Error(`It ended before "${line}", after: ${[...seen].join(', ')}`)))
      }),
    kill: async () => {
      child.kill('SIGKILL')
      await gone
    },
  }
}

/** Lines of a hook or filter that runs once: it tells that it has been reached, and waits for ever. */
async function stoppingPlace(folder: string): Promise<{ lines: readonly string[]; reached: () => Promise<unknown> }> {
  const at = (name: string): string => join(folder, name)
  await makePipe(at('reached'))
  await makePipe(at('never'))
  await writeFile(at('armed'), '')
  return {
    lines: [
      `if rm '${at('armed')}' 2>/dev/null; then`,
      `echo here >'${at('reached')}'; read line <'${at('never')}'; fi`,
    ],
    reached: () => readFile(at('reached')),
  }
}

/** As when the power goes: git and its hooks end at the same moment, without tidying up. */
async function killGitToo(): Promise<void> {
  for (const name of await readdir('/proc')) {
    const environment = await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '')
    if (/^\d+$/.test(name) && environment.split('\0').includes(`TREELINE_WORKTREE_FOR=${SESSION}`)) {
      process.kill(Number(name), 'SIGKILL')
    }
  }
}

test.each(['planned', 'recorded', 'added'])(
  'killed when %s: no worktree, no entry, no branch, no intent',
  async (step) => {
    const home = await setting()
    const before = await home.look()
    const fork = startFork(home, step)
    await fork.until(step)
    await fork.kill()
    expect(await home.nextOwner()).toEqual({ undone: step === 'planned' ? [] : [SESSION], dropped: [], kept: [] })
    expect(await home.look()).toEqual(before)
    expect(await readdir(home.pending).catch(() => [])).toEqual([])
  },
)

test.each(['published', 'cleared'])('killed when %s: the session keeps its worktree', async (step) => {
  const home = await setting()
  const fork = startFork(home, step)
  await fork.until(step)
  await fork.kill()
  const before = await home.look()
  expect(await home.nextOwner()).toEqual({ undone: [], dropped: step === 'cleared' ? [] : [SESSION], kept: [] })
  expect(await home.look()).toEqual(before)
  expect(await readdir(home.pending)).toEqual([])
})

const PLACES = ['the branch is locked', 'the branch is made', 'files are checked out', 'the hook runs'] as const

async function stopGitWhen(place: (typeof PLACES)[number], repository: string): Promise<() => Promise<unknown>> {
  const stop = await stoppingPlace(join(repository, '..'))
  const gitDirectory = join(repository, '.git')
  if (place === 'files are checked out') {
    await commitFile(repository, '.gitattributes', 'b.txt filter=slow\n')
    await commitFile(repository, 'b.txt', 'text\n')
    await installHook(gitDirectory, 'slow-filter', [...stop.lines, 'cat'])
    await git(repository, 'config', 'filter.slow.smudge', join(gitDirectory, 'hooks', 'slow-filter'))
  } else if (place === 'the hook runs') {
    await installHook(gitDirectory, 'post-checkout', stop.lines)
  } else {
    const state = place === 'the branch is locked' ? 'prepared' : 'committed'
    await installHook(gitDirectory, 'reference-transaction', [`[ "$1" = ${state} ] || exit 0`, ...stop.lines])
  }
  return stop.reached
}

for (const alone of [true, false]) {
  const how = alone ? 'git goes on alone' : 'git is killed with it'
  test.runIf(alone || process.platform === 'linux').each(PLACES)(
    `killed while %s, and ${how}: nothing is left, nothing runs on`,
    async (place) => {
      const home = await setting()
      const reached = await stopGitWhen(place, home.repository)
      const before = await home.look()
      const fork = startFork(home, 'added')
      await reached()
      await fork.kill()
      if (!alone) await killGitToo()
      expect(await home.look()).not.toEqual(before)
      expect(await home.nextOwner()).toEqual({ undone: [SESSION], dropped: [], kept: [] })
      expect(await home.look()).toEqual(before)
      expect(await readdir(home.pending)).toEqual([])
    },
  )
}

test('killed before the session was there, with work in the worktree: it survives and is reported at each start', async () => {
  const home = await setting()
  const fork = startFork(home, 'added')
  await fork.until('added')
  await fork.kill()
  const path = join(home.home, 'worktrees', 'r', 'harvest-deadbeef')
  await writeFile(join(path, 'work.txt'), 'mine\n')
  const before = await home.look()
  for (let start = 1; start <= 2; start += 1) {
    const report = await home.nextOwner()
    expect(report).toMatchObject({ undone: [], dropped: [], kept: [{ session_id: SESSION, path }] })
    expect(report.kept[0]?.message).toContain('work.txt')
  }
  expect(await home.look()).toEqual(before)
  expect(await readFile(join(path, 'work.txt'), 'utf8')).toBe('mine\n')
  await git(home.repository, 'worktree', 'remove', '--force', path)
  expect(await home.nextOwner()).toEqual({ undone: [SESSION], dropped: [], kept: [] })
})

test('an intent is whole, private and under its session’s name; clearing what is not there is no failure', async () => {
  const { home, pending, repository } = await setting()
  const worktrees = createGitWorktrees({ home, git: createGit(TEST_ENVIRONMENT) })
  const plan = await planned(worktrees, repository)
  expect(await recordIntent(pending, plan)).toEqual({ ok: true, value: undefined })
  expect(await readdir(pending)).toEqual([`${SESSION}.json`])
  expect((await stat(join(pending, `${SESSION}.json`))).mode & 0o777).toBe(0o600)
  expect(JSON.parse(await readFile(join(pending, `${SESSION}.json`), 'utf8'))).toEqual({
    version: 1,
    id: SESSION,
    recordedAt: expect.any(Number),
    ...plan.record,
    gitDirectory: join(repository, '.git'),
    newFolder: join(home, 'worktrees'),
  })
  expect(await clearIntent(pending, SESSION)).toEqual({ ok: true, value: undefined })
  expect(await clearIntent(pending, SESSION)).toEqual({ ok: true, value: undefined })
  expect(await clearIntent(join(home, 'nowhere'), SESSION)).toEqual({ ok: true, value: undefined })
  expect(await readdir(pending)).toEqual([])
})

test('a session id that is a path is refused, and nothing is written', async () => {
  const { home, pending, repository } = await setting()
  const worktrees = createGitWorktrees({ home, git: createGit(TEST_ENVIRONMENT) })
  const plan = { ...(await planned(worktrees, repository)), sessionId: '../../escape' }
  expect(await recordIntent(pending, plan)).toMatchObject({ ok: false, error: { code: 'invalid_session_id' } })
  expect(await clearIntent(pending, '../../escape')).toMatchObject({ ok: false })
  expect(existsSync(pending)).toBe(false)
})

test('an intent that cannot be written is io_failed, so git is not called', async () => {
  const { home, repository } = await setting()
  const worktrees = createGitWorktrees({ home, git: createGit(TEST_ENVIRONMENT) })
  const plan = await planned(worktrees, repository)
  await writeFile(join(home, 'pending'), 'a file in its place')
  expect(await recordIntent(join(home, 'pending'), plan)).toMatchObject({ ok: false, error: { code: 'io_failed' } })
})

test.each<[string, (text: string) => string]>([
  ['cut', (text) => text.slice(0, 40)],
  ['empty', () => ''],
  ['of another session', (text) => text.replace('deadbeef', 'deadbee0')],
  ['with a relative path', (text) => text.replace(/"path": "[^"]*"/, '"path": "worktrees/x"')],
  ['with a branch git would not take', (text) => text.replace(/"branch": "[^"]*"/, '"branch": "-D main"')],
  ['without its repository', (text) => text.replace('"gitDirectory"', '"other"')],
  ['of a later version', (text) => text.replace('"version": 1', '"version": 2')],
])('a damaged intent (%s) is reported and left, and the sound one beside it is undone', async (_, damage) => {
  const { home, pending, repository, nextOwner } = await setting()
  const worktrees = createGitWorktrees({ home, git: createGit(TEST_ENVIRONMENT) })
  const plan = await planned(worktrees, repository)
  const sound = SESSION.replace('deadbeef', 'cafe0000')
  await recordIntent(pending, plan)
  await recordIntent(pending, { ...plan, sessionId: sound })
  await writeFile(join(pending, `${SESSION.replace('deadbeef', 'cafe0001')}.json.tmp`), '{"half')
  const file = join(pending, `${SESSION}.json`)
  const damaged = damage(await readFile(file, 'utf8'))
  await writeFile(file, damaged)
  const report = await nextOwner()
  expect(report).toMatchObject({ undone: [sound], dropped: [], kept: [{ session_id: SESSION, path: file }] })
  expect(report.kept[0]?.message).toContain('nothing was undone')
  expect(await readFile(file, 'utf8')).toBe(damaged)
  expect(await readdir(pending)).toEqual([`${SESSION}.json`])
})

test('where the tree cannot tell whether the session exists, neither worktree nor intent is touched', async () => {
  const home = await setting()
  const worktrees = createGitWorktrees({ home: home.home, git: createGit(TEST_ENVIRONMENT) })
  const plan = await planned(worktrees, home.repository)
  await recordIntent(home.pending, plan)
  await added(worktrees, plan)
  const before = await home.look()
  const report = await undoIntents(home.pending, worktrees, () => Promise.resolve(undefined))
  expect(report).toMatchObject({ undone: [], dropped: [], kept: [{ session_id: SESSION, path: plan.record.path }] })
  expect(await home.look()).toEqual(before)
  expect(await readdir(home.pending)).toEqual([`${SESSION}.json`])
})

test('without git the intents stay for a start that has it', async () => {
  const { home, pending, repository } = await setting()
  const plan = await planned(createGitWorktrees({ home, git: createGit(TEST_ENVIRONMENT) }), repository)
  await recordIntent(pending, plan)
  const none = createGitWorktrees({ home, git: createGit({ PATH: home }, []) })
  const report = await undoIntents(pending, none, () => Promise.resolve(false))
  expect(report).toMatchObject({ undone: [], kept: [{ session_id: SESSION, path: plan.record.path }] })
  expect(await readdir(pending)).toEqual([`${SESSION}.json`])
  expect(await undoIntents(join(home, 'nowhere'), none, () => Promise.resolve(false))).toEqual({
    undone: [],
    dropped: [],
    kept: [],
  })
})
