import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agentClaims } from './agents.ts'
import { forkClaims } from './forking.ts'
import { frameClaims } from './frames.ts'
import { listClaims } from './listing.ts'
import { claimLine, isMet, type Claim } from './measure.ts'
import { startClaims } from './starting.ts'
import { tailClaims } from './tail.ts'

/**
 * `npm run bench [-- NAME …]`: every claim is a ratio of two things measured in this run, on this machine, on the same
 * data. A missed goal is printed with its figure and is no failure of the command.
 */
const benchmarks: Record<string, (folder: string) => AsyncIterable<Claim>> = {
  listing: listClaims,
  forking: forkClaims,
  tail: tailClaims,
  agents: agentClaims,
  frames: frameClaims,
  starting: startClaims,
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !(name in benchmarks))
if (unknown.length > 0) {
  process.stderr.write(
    `There is no benchmark ${unknown.join(', ')}. There are: ${Object.keys(benchmarks).join(', ')}.\n`,
  )
  process.exit(2)
}

let met = 0
let missed = 0
for (const [name, claims] of Object.entries(benchmarks)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  const folder = await mkdtemp(join(tmpdir(), `treeline-bench-${name}-`))
  try {
    for await (const claim of claims(folder)) {
      process.stdout.write(`${claimLine(claim)}\n`)
      if (isMet(claim)) met++
      else missed++
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
process.stdout.write(`${met} met, ${missed} missed\n`)
