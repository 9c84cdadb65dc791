import { duration, medianOf, type Claim } from './measure.ts'
import { writeLargeSession } from './sample-logs.ts'
import { join } from 'node:path'

const MEGABYTE = 1_000_000

/** Forking a large log against `cp` and fsync of it, and how much memory a fork of 1 GB takes. */
export async function* forkClaims(folder: string): AsyncIterable<Claim> {
  const large = await writeLargeSession(join(folder, 'large'), 200 * MEGABYTE)
  const other = await medianOf(3, 'fork-copy', large.tree, large.id)
  const ours = await medianOf(3, 'fork-ours', large.tree, large.id)
  yield {
    name: 'fork a 200 MB log',
    ours: duration(ours.milliseconds),
    other: `${duration(other.milliseconds)} (cp and fsync)`,
    ratio: ours.milliseconds / other.milliseconds,
    goal: { kind: 'at most', value: 2, unit: 'times as long' },
  }
  const huge = await writeLargeSession(join(folder, 'huge'), 1000 * MEGABYTE)
  const fork = await medianOf(1, 'fork-ours', huge.tree, huge.id)
  yield {
    name: 'memory while forking a 1 GB log',
    ours: `${(fork.memoryGrowth / MEGABYTE).toFixed(0)} MB`,
    other: 'the level before it',
    ratio: fork.memoryGrowth / MEGABYTE,
    goal: { kind: 'at most', value: 64, unit: 'MB more' },
  }
}
