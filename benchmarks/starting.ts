import { spawn } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { commandLine, duration, median, type Claim } from './measure.ts'
import { writeSessions } from './sample-logs.ts'

const RUNS = 5

/** From the start of the process to a sidebar that can be used, against an Electron window with nothing in it. */
export async function* startClaims(folder: string): AsyncIterable<Claim> {
  const { tree } = await writeSessions(join(folder, 'home'), 1000)
  const app = [...commandLine('TREELINE_BENCH_APP'), '--start-phases', '--home', dirname(tree)]
  const bare: number[] = []
  const full: number[] = []
  // The first start of each fills the caches and is not counted: a person starts the app every day.
  for (let run = 0; run <= RUNS; run++) {
    const profile = await mkdtemp(join(folder, 'profile-'))
    const emptyTime = await timeToUsable([...commandLine('TREELINE_BENCH_EMPTY'), `--user-data-dir=${profile}`])
    const ourTime = await timeToUsable(app)
    if (run === 0) continue
    bare.push(emptyTime)
    full.push(ourTime)
  }
  yield {
    name: 'start to a usable sidebar with 1,000 sessions',
    ours: duration(median(full)),
    other: `${duration(median(bare))} (empty Electron window)`,
    ratio: median(full) / median(bare),
    goal: { kind: 'at most', value: 1.5, unit: 'times as long' },
  }
}

async function timeToUsable([executable = '', ...rest]: readonly string[]): Promise<number> {
  const start = performance.now()
  const child = spawn(executable, rest, { stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()))
  let said = ''
  const milliseconds = await new Promise<number>((resolve, reject) => {
    child.on('error', reject)
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      said += part
      if (said.includes('usable')) resolve(performance.now() - start)
    })
    child.on('close', (code) => reject(new Error(`${executable} ended with code ${code} before it was usable`)))
  })
  child.kill()
  await ended
  return milliseconds
}
