import { duration, medianOf, type Claim } from './measure.ts'
import { writeLargeSession } from './sample-logs.ts'

const MEGABYTE = 1_000_000

/** The first screen of a 200 MB log against DSH's `inspect()` of it. */
export async function* tailClaims(folder: string): AsyncIterable<Claim> {
  const large = await writeLargeSession(folder, 200 * MEGABYTE)
  const other = await medianOf(3, 'tail-dsh', large.dsh, large.id)
  const ours = await medianOf(5, 'tail-ours', large.tree, large.id)
  yield {
    name: 'first screen of a 200 MB log',
    ours: duration(ours.milliseconds),
    other: `${duration(other.milliseconds)}, ${(other.memoryGrowth / MEGABYTE).toFixed(0)} MB more (DSH inspect)`,
    ratio: other.milliseconds / ours.milliseconds,
    goal: { kind: 'at least', value: 100, unit: 'times faster' },
  }
  yield {
    name: 'memory for that first screen',
    ours: `${(ours.memoryGrowth / MEGABYTE).toFixed(1)} MB`,
    other: 'the level before it',
    ratio: ours.memoryGrowth / MEGABYTE,
    goal: { kind: 'at most', value: 20, unit: 'MB more' },
  }
}
