import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { duration, medianOf, type Claim } from './measure.ts'

/**
 * Eight agents that report into eight logs at once, against programs that only append the same bytes to eight files at once:
 * with an fsync for each event, and, as the host of agents does, with one for what comes together.
 */
export async function* agentClaims(folder: string): AsyncIterable<Claim> {
  const root = join(folder, 'session-tree')
  const ours = await medianOf(5, 'agents-ours', root)
  const events = await eventsIn(root)
  const others = [
    { side: 'agents-plain', runs: 1, how: 'append and fsync of each' },
    { side: 'agents-batches', runs: 5, how: 'append and fsync of ready pieces of 64 KiB' },
  ]
  for (const { side, runs, how } of others) {
    const other = await medianOf(runs, side, root)
    yield {
      name: `${events} events of 8 agents at once into 8 logs, against ${how}`,
      ours: `${duration(ours.milliseconds)} (${perSecond(events, ours.milliseconds)})`,
      other: `${duration(other.milliseconds)} (${perSecond(events, other.milliseconds)})`,
      ratio: ours.milliseconds / other.milliseconds,
      goal: { kind: 'at most', value: 1.3, unit: 'times as long' },
    }
  }
}

function perSecond(events: number, milliseconds: number): string {
  return `${Math.round((events / milliseconds) * 1000)} events/s`
}

/** Lines in the logs of the mains below `root`, their headers left out. */
async function eventsIn(root: string): Promise<number> {
  let lines = 0
  for (const name of await readdir(root)) {
    const text = await readFile(join(root, name, 'session.jsonl'), 'utf8')
    lines += text.split('\n').length - 2
  }
  return lines
}
