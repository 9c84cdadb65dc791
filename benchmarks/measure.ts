import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import * as z from 'zod/mini'

const measuredShape = z.object({ milliseconds: z.number(), memoryGrowth: z.number() })

/**
 * What one side of a comparison measured in a process of its own. `memoryGrowth`: how far resident memory rose above its
 * level before the work, in bytes.
 */
export type Measured = z.infer<typeof measuredShape>

/** One claim: a ratio of two things measured in this run, and the goal it is held against. */
export interface Claim {
  readonly name: string
  readonly ours: string
  readonly other: string
  readonly ratio: number
  /** `at least`: ours must be this many times faster. `at most`: this many times as slow, or this many MB. */
  readonly goal: { readonly kind: 'at least' | 'at most'; readonly value: number; readonly unit: string }
}

/** Runs the work and watches resident memory while it does; the highest sample counts. */
export async function measured(work: () => Promise<unknown>): Promise<Measured> {
  const before = process.memoryUsage().rss
  let highest = before
  const sampler = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage().rss)
  }, 5)
  const start = performance.now()
  await work()
  const milliseconds = performance.now() - start
  clearInterval(sampler)
  highest = Math.max(highest, process.memoryUsage().rss)
  return { milliseconds, memoryGrowth: highest - before }
}

/** Runs `side.ts NAME …` in a fresh process, `times` times, and answers the run with the median time. */
export async function medianOf(times: number, side: string, ...rest: readonly string[]): Promise<Measured> {
  const runs: Measured[] = []
  for (let run = 0; run < times; run++) runs.push(await runSide(side, rest))
  const time = median(runs.map(({ milliseconds }) => milliseconds))
  const middle = runs.find(({ milliseconds }) => milliseconds === time)
  if (!middle) throw new Error('The median is one of the runs')
  return middle
}

async function runSide(side: string, rest: readonly string[]): Promise<Measured> {
  const script = fileURLToPath(new URL('./side.ts', import.meta.url))
  const child = spawn(process.execPath, ['--no-warnings', script, side, ...rest], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => (output += part))
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve))
  if (code !== 0) throw new Error(`The side ${side} ended with code ${code}`)
  return measuredShape.parse(JSON.parse(output))
}

/** The middle one of an odd number of figures. */
export function median(figures: readonly number[]): number {
  const middle = figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)]
  if (middle === undefined) throw new Error('There is no median of nothing')
  return middle
}

/** Whether the claim's goal is reached. */
export function isMet({ ratio, goal }: Claim): boolean {
  return goal.kind === 'at least' ? ratio >= goal.value : ratio <= goal.value
}

/** One line for a person: both figures, the ratio, the goal, and whether it is met. */
export function claimLine(claim: Claim): string {
  const { kind, value, unit } = claim.goal
  const ratio = claim.ratio.toFixed(claim.ratio < 10 ? 2 : 0)
  return `${isMet(claim) ? 'met   ' : 'MISSED'}  ${claim.name}: ${ratio} ${unit} (goal ${kind} ${value}); ours ${claim.ours}, against ${claim.other}`
}

/** Milliseconds, for a person. */
export function duration(milliseconds: number): string {
  return milliseconds < 10 ? `${milliseconds.toFixed(2)} ms` : `${milliseconds.toFixed(0)} ms`
}

/** How something is started, as `npm run bench` hands it over. */
export function commandLine(variable: string): string[] {
  const value = process.env[variable]
  if (value === undefined) throw new Error(`${variable} is not set. Run the benchmarks by: npm run bench`)
  return z.array(z.string()).parse(JSON.parse(value))
}
