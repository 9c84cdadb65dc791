import { join } from 'node:path'
import { duration, medianOf, type Claim } from './measure.ts'
import { writeSessions } from './sample-logs.ts'

/** Listing every session against the DSH backend's `list()` of the same logs: without a catalog, and with kept facts. */
export async function* listClaims(folder: string): AsyncIterable<Claim> {
  for (const count of [1000, 10_000]) {
    const at = await writeSessions(join(folder, String(count)), count)
    const other = await medianOf(3, 'list-dsh', at.dsh)
    const bare = await medianOf(3, 'list-ours', at.tree)
    await medianOf(1, 'keep-facts', at.tree)
    const kept = await medianOf(3, 'list-kept', at.tree)
    yield {
      name: `list ${count} sessions, no catalog`,
      ours: duration(bare.milliseconds),
      other: `${duration(other.milliseconds)} (DSH list)`,
      ratio: other.milliseconds / bare.milliseconds,
      goal: { kind: 'at least', value: 10, unit: 'times faster' },
    }
    yield {
      name: `list ${count} sessions, kept facts checked by stat`,
      ours: duration(kept.milliseconds),
      other: `${duration(other.milliseconds)} (DSH list)`,
      ratio: other.milliseconds / kept.milliseconds,
      goal: { kind: 'at least', value: 25, unit: 'times faster' },
    }
  }
}
