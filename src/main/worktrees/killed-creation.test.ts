import { spawn } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { homeWithRepository, type HomeWithRepository } from './testing/home-with-repository.ts'
import { commitFile, git, installHook, isRead, makePipe, TEST_ENVIRONMENT } from './testing/test-git.ts'
import { SESSION } from './testing/worktree-harness.ts'

/** Design §2.6: a process killed at any step leaves nothing that the next owner does not undo. */

interface Doomed {
  /** Waits until the process has printed the line. */
  readonly until: (line: string) => Promise<void>
  /** Waits for something the process leads to; throws if it ends before. */
  readonly unlessGone: (event: Promise<unknown>) => Promise<unknown>
  /** SIGKILL: nothing of its own code runs after it. */
  readonly kill: () => Promise<void>
}

function startFork({ home, repository }: HomeWithRepository, stopAt: string): Doomed {
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
    unlessGone: (event) =>
      Promise.race([event, gone.then(() => Promise.reject(new Error('It ended before it was stopped.')))]),
    kill: async () => {
      child.kill('SIGKILL')
      await gone
    },
  }
}

/** A hook or filter that runs once: it tells that it has been reached, and waits for ever. */
interface StoppingPlace {
  readonly lines: readonly string[]
  readonly reached: () => Promise<unknown>
  /** True as long as it waits. To be asked once: a pipe opened and closed may end the wait. */
  readonly isWaiting: () => Promise<boolean>
}

async function stoppingPlace(folder: string): Promise<StoppingPlace> {
  const at = (name: string): string => join(folder, name)
  await makePipe(at('reached'))
  await makePipe(at('never'))
  await writeFile(at('armed'), '')
  return {
    lines: [
      `if rm '${at('armed')}' 2>/dev/null; then`,
      // Opened before it tells, so that a wait is seen from then on.
      `exec 3<>'${at('never')}'; echo here >'${at('reached')}'; read line <&3; fi`,
    ],
    reached: () => readFile(at('reached')),
    isWaiting: () => isRead(at('never')),
  }
}

/** As when the power goes: git and its hooks end at the same moment, git first, without tidying up. */
async function killGitToo(path: string): Promise<void> {
  const mark = `TREELINE_WORKTREE=${encodeURIComponent(path)}`
  const marked: number[] = []
  for (const name of await readdir('/proc')) {
    const environment = await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '')
    if (/^\d+$/.test(name) && environment.split('\0').includes(mark)) marked.push(Number(name))
  }
  expect(marked.length).toBeGreaterThan(1)
  for (const pid of marked.toSorted((one, other) => one - other)) process.kill(pid, 'SIGKILL')
}

test.each(['planned', 'recorded', 'added'])(
  'killed when %s: no worktree, no entry, no branch, no intent',
  async (step) => {
    const home = await homeWithRepository()
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
  const home = await homeWithRepository()
  const fork = startFork(home, step)
  await fork.until(step)
  await fork.kill()
  const before = await home.look()
  expect(await home.nextOwner()).toEqual({ undone: [], dropped: step === 'cleared' ? [] : [SESSION], kept: [] })
  expect(await home.look()).toEqual(before)
  expect(await readdir(home.pending)).toEqual([])
})

const PLACES = ['the branch is locked', 'the branch is made', 'files are checked out', 'the hook runs'] as const

async function stopGitWhen(place: (typeof PLACES)[number], repository: string): Promise<StoppingPlace> {
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
  return stop
}

for (const alone of [true, false]) {
  const how = alone ? 'git goes on alone' : 'git is killed with it'
  test.runIf(alone || process.platform === 'linux').each(PLACES)(
    `killed while %s, and ${how}: nothing is left, nothing runs on`,
    async (place) => {
      const home = await homeWithRepository()
      const stop = await stopGitWhen(place, home.repository)
      const before = await home.look()
      const fork = startFork(home, 'added')
      await fork.unlessGone(stop.reached())
      await fork.kill()
      if (!alone) await killGitToo(join(home.home, 'worktrees', 'r', 'harvest-deadbeef'))
      expect(await home.look()).not.toEqual(before)
      expect(await home.nextOwner()).toEqual({ undone: [SESSION], dropped: [], kept: [] })
      expect(await home.look()).toEqual(before)
      expect(await stop.isWaiting()).toBe(false)
      expect(await readdir(home.pending)).toEqual([])
    },
  )
}

test('killed before the session was there, with work in the worktree: it survives and is reported at each start', async () => {
  const home = await homeWithRepository()
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
