import { runCrashes } from './run.ts'
import { seeded } from './seeded.ts'

/*
 * npm run test:crash: the crash test in full. TREELINE_CRASHES sets the number of kills (300), TREELINE_CRASH_SEED the seed.
 * The command line to kill is the first argument.
 */
const program = process.argv[2]
if (program === undefined) throw new Error('Say which command line to kill.')
const kills = Number(process.env['TREELINE_CRASHES'] ?? 300)
const seed = Number(process.env['TREELINE_CRASH_SEED'] ?? Date.now() % 1_000_000)
process.stdout.write(`${kills} kills, seed ${seed}\n`)
const start = performance.now()
const report = await runCrashes({
  kills,
  program,
  random: seeded(seed),
  longest: 3000,
  onProgress(kill, { sessions, worktrees, events }) {
    const seconds = ((performance.now() - start) / 1000).toFixed(0)
    process.stdout.write(
      `${kill}/${kills}  ${sessions} sessions, ${worktrees} worktrees, ${events} events  ${seconds} s\n`,
    )
  },
})
process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`)
process.exitCode = report.faults.length === 0 ? 0 : 1
